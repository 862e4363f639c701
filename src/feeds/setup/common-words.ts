/**
 * Everyday words that are also names of brands, and short words of every text. A hand-made list: whoever is not on it
 * gets no warning from it, but `earshot listen` also counts what the feeds bring.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `
  about after all also and any are as at back because best big brand buy by call can city come company day do
  down even few first for free from game get give global go good great group has have here high hot how if in
  info into is it just know last life like line live local long look love made make many market may me more most
  my name new next no not now of off on one only open or other our out over own people place plus point post
  power price pro public real right sale same see service set shop show simple site smart so some soon star start
  state still stop store story such super take talk team test than that the their them then there they thing
  this three time to today together top town trade travel true two under up us use very video view was water way
  we web week well what when where which white who why will wish with word work world would year yes you young
  air alpha amazon anchor angel apple apollo arc arrow asana ask atlas aurora axe balance bear bell beta bird
  bison blaze block bloom blue bolt bond boots bose boss box brave bridge bright bronco buffalo bulk butter cable
  camel canvas cap capital carrier castle champion chase chime circle clear cloud coach compass cosmos crest
  cross crown cube dart dash dawn deep delta diamond discover dove dream drift drive eagle earth echo eclipse
  edge element elite ember empire energy envoy epic explorer express falcon fiat field figma fire flash fleet
  flow focus ford forge fossil fox frontier fuel galaxy gap gates gem general gold golden grid guess halo hammer
  harbor haven hawk health heart hero hive home honey horizon hub icon impact indeed infinity ink insight iris
  iron island jaguar jet joy jump key kind king land launch leaf legend lemon liberty light lightning link lion
  loft loop lotus luna lush magic magnet maple mars match matrix medium mercury mesh meta mini mint mirror moon
  motion mountain mustang nest nexus north notion nova oak ocean olive omega oracle orange orbit origin otter
  outlook owl panda panther path peak pearl phoenix pilot pioneer pixel planet polo prime prism pulse puma pure
  quest radar rain rainbow ranger raven red ridge ring ripple river robin rocket root rose royal ruby saga sage
  saturn scout sea seal shadow shark shell shield signal silver sky slack snap snow solar solid sonic spark
  spirit spring sprint square stage steam stone storm stream stripe subway summit sun surface swift target tesla
  thunder tide tiger titan torch total tower tribe trident trust twist uber umbrella unity valley vanguard vault
  vector venus victory virgin visa vision vista vital volt wave whisper wild wind wing wolf wonder zen zenith zoom
  aber als auf aus auch bei bank bahn bild blatt bund das dem den der des die ein eine er es euro fest feld fuer
  ganz geld gut haben haus heute hier ich ihr im ist ja jetzt kaufhof kein kraft land leben licht luft mehr mein
  metro mit nach neu nicht noch nur oder ohne post rose sich sie sind spiegel stadt stern strom tag ueber und
  uns unter vom von vor wasser welt wenn werk wie wir wird zeit zu zum zur
  au aux avec bien bon carrefour ce ces cette comme dans de des du elle en est et eux faire fnac france il je la
  le les leur lui ma mais monde mon ne nous nouveau ou par pas peu plus point pour que qui route sa sans se ses
  si son sur temps terre tout tres un une vie ville vous
  al bueno como con cual cuando del desde el ella ellos entre era es esta este fue hay hoy la las lo los luz mar
  mas mi mucho mundo muy nada nuestro nuevo o para pero poco por porque que santander se ser si sin sobre sol su
  telefonica tierra todo un una vida y ya yo
  anche che ci come con cosa da dal del della di dove e ella gli il io la le lei lui ma mio mondo nel noi non
  nuovo per piu poste quando questo se sei si sono sole su tempo terra tutto un vita
  ao bem com da das de do dos ela ele em esse eu foi isso ja la mais mas meu mundo muito na nao no nos novo os ou
  para pela pelo por quando que se sem ser seu sua tempo terra tudo um uma vida vivo voce
  aan als bij dan dat de die dit door een en er goed haar had hem het hij hoe ik in is je kan maar meer met mijn
  naar niet nieuw nog nu of om ons ook op over tijd uit van veel voor was wat we werd wij zal ze zich zijn zo
  `
    .split(/\s+/)
    .filter((word) => word !== ""),
);
