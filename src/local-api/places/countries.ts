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
