/** Continents with their countries: id (ISO 3166 alpha-2), code in mentions (alpha-3), name. */
export const COUNTRIES = `
africa: dz DZA Algeria, ao AGO Angola, bj BEN Benin, bw BWA Botswana, bf BFA Burkina Faso
africa: bi BDI Burundi, cv CPV Cape Verde, cm CMR Cameroon, cf CAF Central African Republic, td TCD Chad
africa: km COM Comoros, cg COG Congo (Brazzaville), cd COD Congo (Kinshasa), ci CIV Ivory Coast, dj DJI Djibouti
africa: eg EGY Egypt, gq GNQ Equatorial Guinea, er ERI Eritrea, sz SWZ Eswatini, et ETH Ethiopia
africa: ga GAB Gabon, gm GMB Gambia, gh GHA Ghana, gn GIN Guinea, gw GNB Guinea-Bissau
africa: ke KEN Kenya, ls LSO Lesotho, lr LBR Liberia, ly LBY Libya, mg MDG Madagascar
africa: mw MWI Malawi, ml MLI Mali, mr MRT Mauritania, mu MUS Mauritius, ma MAR Morocco
africa: mz MOZ Mozambique, na NAM Namibia, ne NER Niger, ng NGA Nigeria, re REU Réunion
africa: rw RWA Rwanda, st STP São Tomé and Príncipe, sn SEN Senegal, sc SYC Seychelles, sl SLE Sierra Leone
africa: so SOM Somalia, za ZAF South Africa, ss SSD South Sudan, sd SDN Sudan, tz TZA Tanzania
africa: tg TGO Togo, tn TUN Tunisia, ug UGA Uganda, eh ESH Western Sahara, zm ZMB Zambia
africa: zw ZWE Zimbabwe
asia: af AFG Afghanistan, am ARM Armenia, az AZE Azerbaijan, bh BHR Bahrain, bd BGD Bangladesh
asia: bt BTN Bhutan, bn BRN Brunei, kh KHM Cambodia, cn CHN China, ge GEO Georgia
asia: hk HKG Hong Kong, in IND India, id IDN Indonesia, ir IRN Iran, iq IRQ Iraq
asia: il ISR Israel, jp JPN Japan, jo JOR Jordan, kz KAZ Kazakhstan, kw KWT Kuwait
asia: kg KGZ Kyrgyzstan, la LAO Laos, lb LBN Lebanon, mo MAC Macao, my MYS Malaysia
asia: mv MDV Maldives, mn MNG Mongolia, mm MMR Myanmar, np NPL Nepal, kp PRK North Korea
asia: om OMN Oman, pk PAK Pakistan, ps PSE Palestine, ph PHL Philippines, qa QAT Qatar
asia: sa SAU Saudi Arabia, sg SGP Singapore, kr KOR South Korea, lk LKA Sri Lanka, sy SYR Syria
asia: tw TWN Taiwan, tj TJK Tajikistan, th THA Thailand, tl TLS Timor-Leste, tr TUR Turkey
asia: tm TKM Turkmenistan, ae ARE United Arab Emirates, uz UZB Uzbekistan, vn VNM Vietnam, ye YEM Yemen
europe: al ALB Albania, ad AND Andorra, at AUT Austria, by BLR Belarus, be BEL Belgium
europe: ba BIH Bosnia and Herzegovina, bg BGR Bulgaria, hr HRV Croatia, cy CYP Cyprus, cz CZE Czech Republic
europe: dk DNK Denmark, ee EST Estonia, fo FRO Faroe Islands, fi FIN Finland, fr FRA France
europe: de DEU Germany, gi GIB Gibraltar, gr GRC Greece, gg GGY Guernsey, hu HUN Hungary
europe: is ISL Iceland, ie IRL Ireland, im IMN Isle of Man, it ITA Italy, je JEY Jersey
europe: lv LVA Latvia, li LIE Liechtenstein, lt LTU Lithuania, lu LUX Luxembourg, mt MLT Malta
europe: md MDA Moldova, mc MCO Monaco, me MNE Montenegro, nl NLD Netherlands, mk MKD North Macedonia
europe: no NOR Norway, pl POL Poland, pt PRT Portugal, ro ROU Romania, ru RUS Russia
europe: sm SMR San Marino, rs SRB Serbia, sk SVK Slovakia, si SVN Slovenia, es ESP Spain
europe: se SWE Sweden, ch CHE Switzerland, ua UKR Ukraine, gb GBR United Kingdom, va VAT Vatican City
north-america: ag ATG Antigua and Barbuda, aw ABW Aruba, bs BHS Bahamas, bb BRB Barbados, bz BLZ Belize
north-america: bm BMU Bermuda, ca CAN Canada, ky CYM Cayman Islands, cr CRI Costa Rica, cu CUB Cuba
north-america: cw CUW Curaçao, dm DMA Dominica, do DOM Dominican Republic, sv SLV El Salvador, gl GRL Greenland
north-america: gd GRD Grenada, gp GLP Guadeloupe, gt GTM Guatemala, ht HTI Haiti, hn HND Honduras
north-america: jm JAM Jamaica, mq MTQ Martinique, mx MEX Mexico, ni NIC Nicaragua, pa PAN Panama
north-america: pr PRI Puerto Rico, kn KNA St. Kitts and Nevis, lc LCA St. Lucia, vc VCT St. Vincent and Grenadines, tt TTO Trinidad and Tobago
north-america: us USA United States, vi VIR U.S. Virgin Islands
oceania: as ASM American Samoa, au AUS Australia, ck COK Cook Islands, fj FJI Fiji, pf PYF French Polynesia
oceania: gu GUM Guam, ki KIR Kiribati, mh MHL Marshall Islands, fm FSM Micronesia, nr NRU Nauru
oceania: nc NCL New Caledonia, nz NZL New Zealand, pw PLW Palau, pg PNG Papua New Guinea, ws WSM Samoa
oceania: sb SLB Solomon Islands, to TON Tonga, tv TUV Tuvalu, vu VUT Vanuatu
south-america: ar ARG Argentina, bo BOL Bolivia, br BRA Brazil, cl CHL Chile, co COL Colombia
south-america: ec ECU Ecuador, fk FLK Falkland Islands, gf GUF French Guiana, gy GUY Guyana, py PRY Paraguay
south-america: pe PER Peru, sr SUR Suriname, uy URY Uruguay, ve VEN Venezuela
`;

/** Countries with their regions: id (ISO 3166-2 in small letters), name. Only where regions are much used. */
export const REGIONS = `
us: us-al Alabama, us-ak Alaska, us-az Arizona, us-ar Arkansas, us-ca California
us: us-co Colorado, us-ct Connecticut, us-de Delaware, us-dc District of Columbia, us-fl Florida
us: us-ga Georgia, us-hi Hawaii, us-id Idaho, us-il Illinois, us-in Indiana
us: us-ia Iowa, us-ks Kansas, us-ky Kentucky, us-la Louisiana, us-me Maine
us: us-md Maryland, us-ma Massachusetts, us-mi Michigan, us-mn Minnesota, us-ms Mississippi
us: us-mo Missouri, us-mt Montana, us-ne Nebraska, us-nv Nevada, us-nh New Hampshire
us: us-nj New Jersey, us-nm New Mexico, us-ny New York, us-nc North Carolina, us-nd North Dakota
us: us-oh Ohio, us-ok Oklahoma, us-or Oregon, us-pa Pennsylvania, us-ri Rhode Island
us: us-sc South Carolina, us-sd South Dakota, us-tn Tennessee, us-tx Texas, us-ut Utah
us: us-vt Vermont, us-va Virginia, us-wa Washington, us-wv West Virginia, us-wi Wisconsin
us: us-wy Wyoming
ca: ca-ab Alberta, ca-bc British Columbia, ca-mb Manitoba, ca-nb New Brunswick, ca-nl Newfoundland and Labrador
ca: ca-ns Nova Scotia, ca-on Ontario, ca-pe Prince Edward Island, ca-qc Quebec, ca-sk Saskatchewan
gb: gb-eng England, gb-nir Northern Ireland, gb-sct Scotland, gb-wls Wales
de: de-bw Baden-Württemberg, de-by Bavaria, de-be Berlin, de-bb Brandenburg, de-hb Bremen
de: de-hh Hamburg, de-he Hesse, de-mv Mecklenburg-Vorpommern, de-ni Lower Saxony, de-nw North Rhine-Westphalia
de: de-rp Rhineland-Palatinate, de-sl Saarland, de-sn Saxony, de-st Saxony-Anhalt, de-sh Schleswig-Holstein
de: de-th Thuringia
au: au-act Australian Capital Territory, au-nsw New South Wales, au-nt Northern Territory, au-qld Queensland, au-sa South Australia
au: au-tas Tasmania, au-vic Victoria, au-wa Western Australia
`;

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
