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
