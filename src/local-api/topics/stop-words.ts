/** Words without a topic of their own, in the languages that most mentions use. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `
  a about after again all also am an and any are as at be because been before being but by can could did do does doing
  don done down each even few for from get gets getting go goes going got had has have having he her here hers him his
  how i if in into is it its itself just know let like ll made make makes me more most much my myself no nor not now of
  off ok on once one only or other our out over own please re really s said same say says see she should so some still
  such t than thank thanks that the their them then there these they thing things think this those through to today too
  under until up us ve very via want was way we well were what when where which while who why will with would yes yet
  you your yours amp rt http https www com
  aber als am auch auf aus bei bin bis das dass dem den der des die doch du durch ein eine einem einen einer er es euch
  fur gibt hab habe haben hat hatte ich ihr im in ist ja kann kein keine mal man mehr mein mich mir mit nach nicht noch
  nur ob oder schon sehr sein seine sich sie sind so uber um und uns vom von vor war was weil wenn wer wie wieder wir
  wird zu zum zur
  al como con cuando de del desde donde el ella en era es esta este esto fue ha hay la las le les lo los mas me mi muy no
  nos o para pero por porque que se ser si sin sobre solo son su sus te tiene todo tu un una uno ya yo
  au aux avec bien c ce ces cette dans des du elle en est et eu fait il ils j je la le les leur lui ma mais meme mon n ne
  nous on ou par pas plus pour qu que qui sa sans ses si son sont sur ta te tout tres un une vos votre vous y
  che di e gli ho il io lo ma mi nel non per piu quando questo se sei si sono un una
  ao com da do dos e ela ele em eu foi isso ja mais mas meu na nao nas no nos o os ou para pela pelo por quando que se
  sem ser seu sua tem um uma voce
  aan als bij dat de die dit een en er het hij ik in is je maar met naar niet nog om ook op te van voor was wat we ze zijn
  `
    .trim()
    .split(/\s+/),
);
