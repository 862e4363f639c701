/** Regions (or countries) with their largest cities: id, name. An id that has been given is never changed. */
export const CITIES = `
us-dc: wdc0 Washington
us-pa: phig Philadelphia, pit0 Pittsburgh
us-ma: bos1 Boston
us-md: bali Baltimore
us-ny: new8 New York City, buf0 Buffalo, alb0 Albany
us-ca: los0 Los Angeles, san0 San Francisco, san1 San Diego, san2 San Jose, sac0 Sacramento, oak0 Oakland
us-il: chi0 Chicago
us-tx: aus0 Austin, dal0 Dallas, hou0 Houston, san3 San Antonio, for0 Fort Worth, elp0 El Paso
us-az: pho0 Phoenix, tuc0 Tucson
us-wa: sea0 Seattle, spo0 Spokane
us-or: por0 Portland
us-co: den0 Denver, bou0 Boulder
us-ga: atl0 Atlanta
us-fl: mia0 Miami, orl0 Orlando, tam0 Tampa, jac0 Jacksonville
us-mi: det0 Detroit
us-mn: min0 Minneapolis
us-mo: kan0 Kansas City, stl0 St. Louis
us-oh: col0 Columbus, cle0 Cleveland, cin0 Cincinnati
us-in: ind0 Indianapolis
us-wi: mil0 Milwaukee
us-tn: nas0 Nashville, mem0 Memphis
us-nc: cha0 Charlotte, ral0 Raleigh
us-la: new0 New Orleans
us-nv: las0 Las Vegas
us-ut: sal0 Salt Lake City
us-nm: alb1 Albuquerque
us-ok: okl0 Oklahoma City
us-ky: lou0 Louisville
us-va: ric0 Richmond
us-hi: hon0 Honolulu
us-ak: anc0 Anchorage
us-me: por1 Portland
us-ri: pro0 Providence
us-ct: har0 Hartford
us-nj: new1 Newark
us-ne: oma0 Omaha
us-ia: des0 Des Moines
us-id: boi0 Boise
us-al: bir0 Birmingham
ca-on: tor0 Toronto, ott0 Ottawa
ca-qc: mon0 Montreal, que0 Quebec City
ca-bc: van0 Vancouver, vic0 Victoria
ca-ab: cal0 Calgary, edm0 Edmonton
ca-mb: win0 Winnipeg
ca-ns: hal0 Halifax
ca-sk: reg0 Regina
gb-eng: lon0 London, man0 Manchester, bir1 Birmingham, lee0 Leeds, liv0 Liverpool, bri0 Bristol, bri1 Brighton, she0 Sheffield, new2 Newcastle upon Tyne, not0 Nottingham, oxf0 Oxford, cam0 Cambridge, sou0 Southampton, lei0 Leicester, yor0 York
gb-sct: edi0 Edinburgh, gla0 Glasgow, abe0 Aberdeen
gb-wls: car0 Cardiff, swa0 Swansea
gb-nir: bel0 Belfast
de-be: ber0 Berlin
de-hh: ham0 Hamburg
de-by: mun0 Munich, nur0 Nuremberg
de-nw: col1 Cologne, dus0 Düsseldorf, dor0 Dortmund, ess0 Essen
de-he: fra0 Frankfurt
de-bw: stu0 Stuttgart
de-sn: lei1 Leipzig, dre0 Dresden
de-hb: bre0 Bremen
de-ni: han0 Hanover
au-nsw: syd0 Sydney
au-vic: mel0 Melbourne
au-qld: bri2 Brisbane
au-wa: per0 Perth
au-sa: ade0 Adelaide
au-act: can0 Canberra
au-tas: hob0 Hobart
ie: dub0 Dublin, cor0 Cork, gal0 Galway
fr: par0 Paris, lyo0 Lyon, mar0 Marseille, nan0 Nantes, tou0 Toulouse, nic0 Nice, bor0 Bordeaux, lil0 Lille, str0 Strasbourg
es: mad0 Madrid, bar0 Barcelona, val0 Valencia, sev0 Seville, bil0 Bilbao, mal0 Málaga
pt: lis0 Lisbon, por2 Porto
it: rom0 Rome, mil1 Milan, nap0 Naples, tur0 Turin, bol0 Bologna, flo0 Florence, ven0 Venice, pal0 Palermo
nl: ams0 Amsterdam, rot0 Rotterdam, utr0 Utrecht, the0 The Hague, ein0 Eindhoven
be: bru0 Brussels, ant0 Antwerp, ghe0 Ghent
lu: lux0 Luxembourg
ch: zur0 Zurich, gen0 Geneva, bas0 Basel, ber1 Bern
at: vie0 Vienna, gra0 Graz, sal1 Salzburg
dk: cop0 Copenhagen, aar0 Aarhus
se: sto0 Stockholm, got0 Gothenburg, mal1 Malmö
no: osl0 Oslo, ber2 Bergen
fi: hel0 Helsinki, tam1 Tampere
is: rey0 Reykjavík
pl: war0 Warsaw, kra0 Kraków, wro0 Wrocław, gda0 Gdańsk
cz: pra0 Prague, brn0 Brno
sk: bra0 Bratislava
hu: bud0 Budapest
ro: buc0 Bucharest
bg: sof0 Sofia
gr: ath0 Athens, the1 Thessaloniki
hr: zag0 Zagreb
si: lju0 Ljubljana
rs: bel1 Belgrade
ua: kyi0 Kyiv, lvi0 Lviv, ode0 Odesa
ru: mos0 Moscow, sai0 Saint Petersburg
ee: tal0 Tallinn
lv: rig0 Riga
lt: vil0 Vilnius
mt: val1 Valletta
cy: nic1 Nicosia
tr: ist0 Istanbul, ank0 Ankara, izm0 Izmir
il: tel0 Tel Aviv, jer0 Jerusalem
ae: dub1 Dubai, abu0 Abu Dhabi
sa: riy0 Riyadh, jed0 Jeddah
qa: doh0 Doha
kw: kuw0 Kuwait City
lb: bei0 Beirut
jo: amm0 Amman
iq: bag0 Baghdad
ir: teh0 Tehran
pk: kar0 Karachi, lah0 Lahore, isl0 Islamabad
in: mum0 Mumbai, del0 Delhi, ben0 Bengaluru, che0 Chennai, hyd0 Hyderabad, kol0 Kolkata, pun0 Pune, ahm0 Ahmedabad
bd: dha0 Dhaka
lk: col2 Colombo
np: kat0 Kathmandu
cn: bei1 Beijing, sha0 Shanghai, she1 Shenzhen, gua0 Guangzhou, che1 Chengdu, wuh0 Wuhan
hk: hon1 Hong Kong
tw: tai0 Taipei
jp: tok0 Tokyo, osa0 Osaka, kyo0 Kyoto, nag0 Nagoya, sap0 Sapporo, fuk0 Fukuoka
kr: seo0 Seoul, bus0 Busan
th: ban0 Bangkok
vn: han1 Hanoi, hoc0 Ho Chi Minh City
my: kua0 Kuala Lumpur
sg: sin0 Singapore
id: jak0 Jakarta, sur0 Surabaya
ph: man1 Manila, ceb0 Cebu City
kh: phn0 Phnom Penh
kz: alm0 Almaty
uz: tas0 Tashkent
ge: tbi0 Tbilisi
am: yer0 Yerevan
az: bak0 Baku
eg: cai0 Cairo, ale0 Alexandria
ma: cas0 Casablanca, rab0 Rabat
dz: alg0 Algiers
tn: tun0 Tunis
ng: lag0 Lagos, abu1 Abuja
gh: acc0 Accra
ke: nai0 Nairobi
et: add0 Addis Ababa
tz: dar0 Dar es Salaam
ug: kam0 Kampala
rw: kig0 Kigali
za: joh0 Johannesburg, cap0 Cape Town, dur0 Durban, pre0 Pretoria
sn: dak0 Dakar
ci: abi0 Abidjan
ao: lua0 Luanda
zw: har1 Harare
cd: kin0 Kinshasa
mx: mex0 Mexico City, gua1 Guadalajara, mon1 Monterrey
cu: hav0 Havana
do: san4 Santo Domingo
pr: san5 San Juan
jm: kin1 Kingston
gt: gua2 Guatemala City
cr: san6 San José
pa: pan0 Panama City
br: sao0 São Paulo, rio0 Rio de Janeiro, bra1 Brasília, sal2 Salvador, por3 Porto Alegre, rec0 Recife
ar: bue0 Buenos Aires, cor1 Córdoba
cl: san7 Santiago
co: bog0 Bogotá, med0 Medellín
pe: lim0 Lima
ec: qui0 Quito
uy: mon2 Montevideo
ve: car1 Caracas
bo: lap0 La Paz
py: asu0 Asunción
nz: auc0 Auckland, wel0 Wellington, chr0 Christchurch
fj: suv0 Suva
pg: por4 Port Moresby
`;
