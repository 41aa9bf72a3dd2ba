/** Invented companies, people and products for the demo's records, one set per tenant. */

/** Industry and city are for customers only. */
export type Company = readonly [name: string, webName: string, country: string, industry?: string, city?: string];

/** First and last names of one language; a name in another script has its Latin form after `=`. */
interface People {
  readonly language: string;
  /** Countries of their employers. */
  readonly countries: readonly string[];
  readonly familyNameFirst?: boolean;
  readonly first: readonly string[];
  readonly last: readonly string[];
}

/** Name, article number, price in cents. */
type Product = readonly [name: string, sku: string, cents: number];

export interface Words {
  readonly customerPrefix: string;
  readonly currencies: readonly string[];
  readonly owners: readonly string[];
  readonly people: readonly People[];
  readonly companies: readonly Company[];
  /** Companies that are not customers. */
  readonly prospects: readonly Company[];
  readonly products: readonly Product[];
  /** Completes "Interested in ...". */
  readonly interests: readonly string[];
}

/** Manufacturer of conveyors and sensors. */
const acme: Words = {
  customerPrefix: 'ACM',
  currencies: ['USD', 'EUR', 'GBP'],
  owners: ['Nadia Hoffmann', 'Samira Haddad', 'Daniel Kovács', 'Grace Whitfield'],
  people: [
    {
      language: 'en',
      countries: ['US', 'GB', 'IE'],
      first: ['Olivia', 'Marcus', 'Hannah', 'Theodore', 'Brianna', 'Wesley', 'Imogen'],
      last: ['Calloway', 'Prescott', 'Delgado', 'Hargrove', "O'Sullivan", 'Whitaker', 'Fairbank', 'Achebe'],
    },
    {
      language: 'de',
      countries: ['DE'],
      first: ['Jürgen', 'Katharina', 'Sören', 'Ulrike', 'Matthias', 'Anneliese', 'Günter'],
      last: ['Weiß', 'Schröder', 'Baumgärtner', 'Köhler', 'Voss', 'Lindemann', 'Großmann', 'Yılmaz'],
    },
    {
      language: 'pl',
      countries: ['PL'],
      first: ['Małgorzata', 'Paweł', 'Agnieszka', 'Zbigniew', 'Łucja', 'Krzysztof', 'Stanisław'],
      last: ['Wójcik', 'Jabłoński', 'Dąbek', 'Sikora', 'Gołębiewski', 'Mazur', 'Kaczmarek', 'Wróbel'],
    },
    {
      language: 'es',
      countries: ['ES'],
      first: ['Begoña', 'Íñigo', 'María José', 'Ramón', 'Lucía', 'Andrés', 'Ainhoa'],
      last: ['Etxeberria', 'Núñez', 'Ibáñez', 'Carrasco', 'Peña', 'Villalobos', 'Ordóñez', 'Salgado'],
    },
    {
      language: 'nb',
      countries: ['NO', 'SE'],
      first: ['Ingrid', 'Håkon', 'Solveig', 'Bjørn', 'Åse', 'Magnus', 'Eskil'],
      last: ['Sørensen', 'Østby', 'Bergström', 'Haugen', 'Nygård', 'Solberg', 'Lindqvist', 'Dahl'],
    },
    {
      language: 'zh',
      countries: ['CN'],
      familyNameFirst: true,
      first: [
        '雅婷=yating',
        '建国=jianguo',
        '思远=siyuan',
        '丽华=lihua',
        '浩然=haoran',
        '晓梅=xiaomei',
        '国强=guoqiang',
      ],
      last: ['欧阳=ouyang', '陈=chen', '周=zhou', '黄=huang', '徐=xu', '郑=zheng', '林=lin', '诸葛=zhuge'],
    },
  ],
  companies: [
    ['Fjordvik Logistics', 'fjordvik', 'NO', 'logistics', 'Bergen'],
    ['Brandt & Söhne Maschinenbau', 'brandt-soehne', 'DE', 'manufacturing', 'Stuttgart'],
    ['Harbour & Pike', 'harbour-pike', 'GB', 'retail', 'Bristol'],
    ['Mleczarnia Łąkowa', 'lakowa', 'PL', 'food', 'Łódź'],
    ['Copperline Foundry', 'copperline', 'US', 'manufacturing', 'Pittsburgh'],
    ['Bluewater Island Ferries', 'bluewater-ferries', 'US', 'logistics', 'Seattle'],
    ['Müllenbach Feinmechanik', 'muellenbach', 'DE', 'manufacturing', 'Nürnberg'],
    ['Aceros Ibaizabal', 'aceros-ibaizabal', 'ES', 'manufacturing', 'Bilbao'],
    ['Nordlysvik Energi', 'nordlysvik', 'NO', 'energy', 'Tromsø'],
    ['Kestrel Lane Packaging', 'kestrel-lane', 'GB', 'manufacturing', 'Leeds'],
    ['华澜精工', 'hualan-precision', 'CN', 'manufacturing', 'Suzhou 苏州'],
    ['Grünwalder Brauhaus', 'gruenwalder', 'DE', 'food', 'München'],
    ['Prairie Crest Grain', 'prairie-crest', 'US', 'food', 'Omaha'],
    ['Transport Ostrówek', 'ostrowek', 'PL', 'logistics', 'Poznań'],
    ['St. Brannoc Hospital Trust', 'st-brannoc', 'IE', 'healthcare', 'Dublin'],
    ['Casa del Olivar Viejo', 'olivar-viejo', 'ES', 'food', 'Jaén'],
    ['Tidewater Timberworks', 'tidewater-timber', 'US', 'manufacturing', 'Savannah'],
    ['Skåneholm Glasbruk', 'skaneholm', 'SE', 'manufacturing', 'Malmö'],
    ['Ironbridge Rail Works', 'ironbridge-rail', 'GB', 'logistics', 'Telford'],
    ['Wiatr Bałtycki', 'wiatr-baltycki', 'PL', 'energy', 'Gdańsk'],
    ['Larkspur Home Stores', 'larkspur-home', 'US', 'retail', 'Denver'],
    ['City of Ashbourne Vale', 'ashbourne-vale', 'GB', 'public_sector', 'Ashbourne Vale'],
    ['Cerámica Peñagolosa', 'penagolosa', 'ES', 'manufacturing', 'Castellón'],
    ['Whitlock Cold Storage', 'whitlock-cold', 'US', 'logistics', 'Minneapolis'],
    ['Bexcombe Dental Labs', 'bexcombe', 'GB', 'healthcare', 'London'],
  ],
  prospects: [
    ['Quarrystone Aggregates', 'quarrystone', 'US'],
    ['Bäckerei Rosenthaler', 'rosenthaler', 'DE'],
    ['Puerto Sereno Conservas', 'puerto-sereno', 'ES'],
    ['Vinterhagen Møbler', 'vinterhagen', 'NO'],
    ['Piekarnia Żurawie', 'zurawie', 'PL'],
    ['Redfern & Daughters', 'redfern-daughters', 'GB'],
    ['Silver Birch Pharmacy Supply', 'silver-birch', 'US'],
  ],
  products: [
    ['Roller conveyor, 3 m', 'RC-300', 184_000],
    ['Belt conveyor, 6 m', 'BC-600', 429_500],
    ['Spiral lift', 'SL-120', 1_275_000],
    ['Photoelectric sensor', 'PS-18', 8_990],
    ['Sorting gate', 'SG-40', 238_000],
    ['Control cabinet', 'CC-2', 615_000],
    ['Commissioning, per day', 'SV-DAY', 98_000],
    ['Maintenance plan, one year', 'MP-12', 360_000],
  ],
  interests: [
    'replacing two conveyor lines before the season',
    'a sorting gate for parcels under 2 kg',
    'retrofitting sensors on a 2009 line',
    'a spiral lift for the new mezzanine',
    'a maintenance plan for three sites',
    'leasing instead of buying',
    'a pilot in one warehouse, five more if it works',
  ],
};

/** Seller of analytics as a service, and of training. */
const globex: Words = {
  customerPrefix: 'GLX',
  currencies: ['EUR', 'EUR', 'USD'],
  owners: ['Aiko Tanaka', 'Kofi Mensah', 'Rahul Menon', 'Élodie Garnier'],
  people: [
    {
      language: 'fr',
      countries: ['FR', 'CH'],
      first: ['Élise', 'François', 'Aurélie', 'Benoît', 'Océane', 'Gaël', 'Étienne'],
      last: ['Lefèvre', 'Chapuis', 'Béranger', 'Delaunoy', 'Marchetti', 'Rousselot', 'Vasseur', 'Ndiaye'],
    },
    {
      language: 'hi',
      countries: ['IN'],
      first: ['Ananya', 'Vikram', 'Meenakshi', 'Arjun', 'Lakshmi', 'Farhan', 'Sanjay'],
      last: ['Deshpande', 'Iyer', 'Chatterjee', 'Raghunathan', 'Kulkarni', 'Siddiqui', 'Banerjee', 'Pillai'],
    },
    {
      language: 'ja',
      countries: ['JP'],
      familyNameFirst: true,
      first: ['陽子=yoko', '健太=kenta', '美咲=misaki', '大輔=daisuke', '直美=naomi', '拓海=takumi', '翔=sho'],
      last: [
        '渡辺=watanabe',
        '伊藤=ito',
        '小林=kobayashi',
        '加藤=kato',
        '吉田=yoshida',
        '斎藤=saito',
        '佐々木=sasaki',
        '松本=matsumoto',
      ],
    },
    {
      language: 'pt',
      countries: ['PT', 'BR'],
      first: ['João', 'Conceição', 'Tomé', 'Inês', 'Luís', 'Beatriz', 'Rogério'],
      last: ['Magalhães', 'Figueiredo', 'Simões', 'Brandão', 'Teles', 'Guimarães', 'Antunes', 'Conceição'],
    },
    {
      language: 'yo',
      countries: ['NG'],
      first: ['Adébáyọ̀', 'Chidinma', 'Fúnmiláyọ̀', 'Emeka', 'Zainab', 'Olúwaṣeun', 'Ngozi'],
      last: ['Okonkwo', 'Adéyẹmí', 'Bello', 'Nwachukwu', 'Ògúndélé', 'Eze', 'Abiọ́lá', 'Musa'],
    },
    {
      language: 'tr',
      countries: ['TR'],
      first: ['Ayşe', 'Çağlar', 'Gülşen', 'Oğuz', 'İpek', 'Şükrü', 'Nazlı'],
      last: ['Yıldırım', 'Öztürk', 'Karakaş', 'Doğan', 'Ünal', 'Taşkın', 'Şahin', 'Gündoğdu'],
    },
  ],
  companies: [
    ['Boulangeries Délicourt', 'delicourt', 'FR', 'food', 'Lyon'],
    ['Sahyadri Loom & Thread', 'sahyadri-loom', 'IN', 'manufacturing', 'Pune'],
    ['青葉台電機', 'aobadai-denki', 'JP', 'manufacturing', 'Sendai 仙台'],
    ['Caixa do Farol', 'caixa-farol', 'PT', 'finance', 'Lisboa'],
    ['Café São Benedito', 'sao-benedito', 'BR', 'food', 'São Paulo'],
    ['Mainland Bridge Microfinance', 'mainland-bridge', 'NG', 'finance', 'Lagos'],
    ['Yıldıztepe Lojistik', 'yildiztepe', 'TR', 'logistics', 'İzmir'],
    ['Clinique Saint-Aubépin', 'saint-aubepin', 'FR', 'healthcare', 'Rennes'],
    ['Kaverinadi Software Works', 'kaverinadi', 'IN', 'software', 'Bengaluru'],
    ['Mirainoki Robotics', 'mirainoki', 'JP', 'manufacturing', 'Nagoya'],
    ['Azulejos da Figueirinha', 'figueirinha', 'PT', 'manufacturing', 'Porto'],
    ['Harmattan Light & Power', 'harmattan-power', 'NG', 'energy', 'Kano'],
    ['Çınaraltı Gıda', 'cinaralti', 'TR', 'food', 'Bursa'],
    ['Assurances Valmontier', 'valmontier', 'CH', 'finance', 'Genève'],
    ['Deccan Lotus Health', 'deccan-lotus', 'IN', 'healthcare', 'Hyderabad'],
    ['Hokutosei Shipping', 'hokutosei', 'JP', 'logistics', 'Kobe'],
    ['Rio Verdejante Energia', 'rio-verdejante', 'BR', 'energy', 'Goiânia'],
    ['Adéwálé & Partners', 'adewale-partners', 'NG', 'other', 'Abuja'],
    ['Marmaracık Mağazaları', 'marmaracik', 'TR', 'retail', 'İstanbul'],
    ['Éditions du Quai Neuf', 'quai-neuf', 'FR', 'other', 'Bordeaux'],
    ['Ghatside Hydro', 'ghatside', 'IN', 'energy', 'Kochi'],
    ['Sakuranamiki Pharmacies', 'sakuranamiki', 'JP', 'healthcare', 'Osaka'],
    ['Escola Maré Alta', 'mare-alta', 'BR', 'public_sector', 'Recife'],
    ['Palm Delta Telecoms', 'palm-delta', 'NG', 'software', 'Port Harcourt'],
    ['Ville de Montclairval', 'montclairval', 'FR', 'public_sector', 'Montclairval'],
  ],
  prospects: [
    ['Fromagerie Haute-Brèche', 'haute-breche', 'FR'],
    ['Lantern Street Books', 'lantern-street', 'IN'],
    ['Konpeito Games', 'konpeito', 'JP'],
    ['Zeytindalı Sigorta', 'zeytindali', 'TR'],
    ['Banyan Root Seeds', 'banyan-root', 'IN'],
    ['Oficina das Marés', 'oficina-mares', 'PT'],
    ['Savannah Gate Motors', 'savannah-gate', 'NG'],
  ],
  products: [
    ['Analytics seat, one year', 'AN-SEAT', 48_000],
    ['Embedded dashboards', 'AN-EMB', 720_000],
    ['Data connector', 'DC-1', 95_000],
    ['Forecasting add-on', 'FC-ADD', 310_000],
    ['Private region', 'PR-1', 1_840_000],
    ['Premium support, one year', 'SU-PREM', 540_000],
    ['Training, per day', 'TR-DAY', 135_000],
    ['Migration package', 'MG-PKG', 465_000],
  ],
  interests: [
    'moving off spreadsheets for the monthly close',
    'dashboards inside their own customer portal',
    'forecasts per shop and per week',
    'a private region for health data',
    'training for a team of twelve',
    'connecting an older ERP',
    'a trial for one department',
  ],
};

/** Words of a tenant: Globex has its own, every other tenant those of Acme. */
export function wordsOf(tenantId: string): Words {
  return tenantId === '2' ? globex : acme;
}

/** Country codes of phone numbers. */
export const dialling: Readonly<Record<string, string>> = {
  BR: '+55 11',
  CH: '+41 22',
  CN: '+86 512',
  DE: '+49 711',
  ES: '+34 944',
  FR: '+33 472',
  GB: '+44 117',
  IE: '+353 1',
  IN: '+91 20',
  JP: '+81 22',
  NG: '+234 1',
  NO: '+47 55',
  PL: '+48 61',
  PT: '+351 22',
  SE: '+46 40',
  TR: '+90 232',
  US: '+1 206',
};

/** Phrases that all tenants share. */
export const phrases = {
  jobTitles: ['Head of Purchasing', 'Operations Manager', 'Managing Director', 'Plant Engineer', 'Controller', 'CIO'],
  accountNotes: ['Pays late, but pays.', 'Asks for quotes in two languages.', 'Budget year starts in April.'],
  /** Codes of the field's values; frequent ones are repeated. */
  leadSources: ['web', 'web', 'web', 'referral', 'event', 'campaign', 'phone', 'partner', 'other'],
  contactNotes: ['Prefers e-mail.', 'Met at the spring fair.', 'On parental leave; ask reception who stands in.'],
  /** Each is followed by a name. */
  taskSubjects: ['Call', 'Send the offer to', 'Prepare a visit to', 'Ask for references from', 'Follow up with'],
  officeTasks: ['Tidy up the pipeline', 'Prepare the monthly forecast', 'Renew the trade fair booking'],
  checklist: ['Read the history', 'Write the mail', 'Log the answer'],
} as const;
