/**
 * Generated shops with other forms of titles than the public collections, judged by the attributes behind their texts.
 *
 * Each sells things and, in greater number, parts and accessories with the name of the thing in their titles. Titles differ in
 * form: head noun last or first, compounds, long or short, sizes, with or without categories and types.
 */
import { type Chance, createChance } from '../../../src/deployment/demo/random.ts';
import type { SearchCollection } from '../../../src/jobs/evaluation/search/collection.ts';

type Thing = { name: string; parts: string[]; words: string[] };
type Attributes = { thing: Thing; part?: string; brand: string; color: string; size: string };
type Shape = {
  name: string;
  language: string;
  things: Thing[];
  colors: string[];
  sizes: string[];
  titles: { thing: string[]; part: string[] };
  descriptions: { thing: string[]; part: string[] };
  /** The queries, written with the same placeholders. */
  asked: { thing: string; branded: string; colored: string; sized: string; part: string; partOf: string };
  hasCategories: boolean;
  hasTypes: boolean;
  thingsOfKind: number;
  partsOfKind: number;
};

const brands =
  'Alvo Brenta Corvex Dunmar Elvik Fenwold Garo Hultin Istra Jorvak Kelmo Lumax Mardel Norvo Oskar Pellin'.split(
    ' ',
  );

/** `name: word word | part, part` a line. */
function thingsOf(lines: string): Thing[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name, words, parts] = line.split(/[:|]/).map((text) => text.trim());
      return { name, words: words.split(' '), parts: parts.split(',').map((part) => part.trim()) };
    });
}

const english = thingsOf(`
bike: frame gears wheels aluminium ride | seat, chain, bottle holder, pump, lock
vacuum cleaner: suction dust bagless carpet floor | filter, hose, brush, bag
ladder: steps aluminium height folding climb | stabilizer, hook, rack
camera: lens megapixel zoom sensor photo | strap, bag, tripod, battery, charger
coffee maker: brew carafe cups espresso drip | filter, carafe, cleaning tablets
drill: torque cordless chuck battery speed | bit set, stand, charger, case
sink: basin stainless bowl drain kitchen | strainer, faucet, rack, mat
lawn mower: grass cutting engine deck garden | blade, cover, wheel, belt
phone: display memory camera android sim | case, charger, holder, screen protector
tent: sleeps poles camping waterproof floor | pegs, footprint, lamp, rug
guitar: strings fretboard tone body mahogany | stand, strap, case, string set
stove: burners oven gas heat kitchen | knob, grate, hood, mat
bed: mattress frame headboard slats sleep | rail, sheet set, skirt, storage drawer
fan: blades airflow speed quiet cooling | remote, light kit, blade set, filter
`);

const french = thingsOf(`
vélo: cadre vitesses roues aluminium | selle, chaîne, antivol, pompe, porte-bidon
aspirateur: puissance poussière sac moteur | filtre, brosse, tuyau
appareil photo: objectif zoom capteur pixels | sacoche, trépied, chargeur
ordinateur portable: écran processeur mémoire disque | housse, chargeur, support, sac
machine à laver: tambour essorage lessive programme | tuyau, socle, joint
lampe: ampoule lumière abat-jour bureau | variateur, pied, support
tente: places piquets camping étanche | tapis, lampe, sardines
canapé: places tissu assise salon | housse, coussin, plaid
`);

const german = thingsOf(`
Fahrrad: Rahmen Gänge Räder Aluminium | Sattel, Kette, Schloss, Pumpe, Tasche
Staubsauger: Saugkraft Staub Watt Boden | Beutel, Filter, Düse, Schlauch
Kamera: Objektiv Zoom Sensor Foto | Tasche, Stativ, Ladegerät
Notebook: Bildschirm Prozessor Speicher Tastatur | Tasche, Netzteil, Ständer, Hülle
Bett: Matratze Rahmen Holz Schlaf | Bezug, Leuchte, Kasten
Grill: Gas Rost Brenner Garten | Abdeckung, Zange, Rost, Bürste
Zelt: Personen Stangen Camping wasserdicht | Heringe, Teppich, Lampe
Sofa: Sitzer Stoff Polster Wohnzimmer | Kissen, Bezug, Decke
`);

const shapes: Shape[] = [
  {
    name: 'long titles',
    language: 'en',
    things: english,
    colors: 'black white red blue grey silver'.split(' '),
    sizes: ['small', 'large', 'medium', 'compact'],
    titles: {
      thing: [
        '{brand} {model} {color} {thing} with {word} and {word}',
        '{brand} {size} {thing} {model} {color} - {word} {word}',
        '{size} {thing} by {brand}, {word}, {color}',
        '{brand} {word} {thing} {model}',
      ],
      part: [
        '{brand} {thing} {part} {color}',
        '{brand} {color} {part} for {thing}',
        'Universal {size} {thing} {part}, {thing} {part} for every {thing}',
        '{thing} {part} by {brand} {model}',
        '{brand} {part} compatible with {thing} and {other}',
      ],
    },
    descriptions: {
      thing: [
        'This {thing} with {word} and {word}. {word} {word} in {color}. Comes with {part}.',
        'Our best {thing} for {word} {word}.',
        '{word}, {word} and {word}.',
      ],
      part: [
        '{part} that fits every {thing}. Keep your {thing} as new. In {color}.',
        'Replacement {part} for your {thing}, easy to mount.',
        'Sturdy {part} of {brand}.',
      ],
    },
    asked: {
      thing: '{thing}',
      branded: '{brand} {thing}',
      colored: '{color} {thing}',
      sized: '{size} {thing} with {word}',
      part: '{part}',
      partOf: '{part} for {thing}',
    },
    hasCategories: false,
    hasTypes: false,
    thingsOfKind: 14,
    partsOfKind: 8,
  },
  {
    name: 'sizes and kits',
    language: 'en',
    things: thingsOf(`
pipe: copper pressure plumbing water metal | cutter, clamp, insulation, wrench
heater: electric warm room thermostat heat | thermostat, filter, cover
shelf: wood wall storage bracket load | bracket, liner, clip
tile: ceramic floor glazed wall kitchen | cutter, spacer, adhesive
light fixture: led bulb ceiling lumen lamp | mounting kit, bulb, shade
faucet: handle spout bathroom valve water | trim kit, cartridge, aerator
saw: cutting wood steel teeth motor | blade, stand, guide
hose: garden rubber watering flexible spray | reel, nozzle, connector
door: wood panel interior entry frame | hinge, knob, lock, stop
battery: lithium charge power volt long | charger, holder, tester
`),
    colors: ['chrome', 'bronze', 'nickel', 'white', 'black'],
    sizes: [
      '1/2 in.',
      '3/4 in.',
      '1-1/2 in.',
      '2 in.',
      '16 in.',
      '10 ft.',
      '500 watt',
      '1500 watt',
      '12 volt',
    ],
    titles: {
      thing: [
        '{brand} {size} {word} {thing} in {color}',
        '{size} x 4 ft. {word} {thing}',
        '{brand} {model} {size} {color} {thing} with {word} {word}',
      ],
      part: [
        '{brand} {size} {thing} {part}',
        '{brand} {thing} {part} in {color}',
        '{part} for {size} {thing}',
        '{thing} {part} with {word} {thing} adapter',
      ],
    },
    descriptions: {
      thing: [
        'The {brand} {thing} has {word} and {word}. It needs {word} {part}.',
        '{size} {thing}, {word}.',
      ],
      part: ['Use this {part} with a {thing}. {thing} sold separately.', 'For {thing} and {other}.'],
    },
    asked: {
      thing: '{thing}s',
      branded: '{brand} {thing}',
      colored: '{thing} in {color}',
      sized: '{size} {thing}',
      part: '{part}',
      partOf: '{thing} {part}',
    },
    hasCategories: false,
    hasTypes: false,
    thingsOfKind: 18,
    partsOfKind: 10,
  },
  {
    name: 'typed and filed',
    language: 'en',
    things: english,
    colors: 'black white green brown beige'.split(' '),
    sizes: 'S M L XL'.split(' '),
    titles: {
      thing: ['{brand} {model} {color}', '{brand} {thing} {model}', '{model} {word} {thing}'],
      part: ['{brand} {thing} {part}', '{part} {model} for {thing}', '{brand} {part} {model}'],
    },
    descriptions: {
      thing: ['{thing} in {color} with {word}.', '{word} {word} {word}.'],
      part: ['{part} for a {thing}.', 'Made for {brand} {thing} and {other}.'],
    },
    asked: {
      thing: '{thing}',
      branded: '{brand} {thing}',
      colored: '{thing} {color}',
      sized: '{word} {thing}',
      part: '{part}',
      partOf: '{thing} {part}',
    },
    hasCategories: true,
    hasTypes: true,
    thingsOfKind: 12,
    partsOfKind: 9,
  },
  {
    name: 'heads first',
    language: 'fr',
    things: french,
    colors: ['noir', 'blanc', 'rouge', 'bleu'],
    sizes: ['petit', 'grand', 'compact'],
    titles: {
      thing: [
        '{thing} {brand} {model} {color}',
        '{thing} {size} {word} {brand}',
        '{brand} {thing} {color} avec {word}',
      ],
      part: [
        '{part} pour {thing} {brand}',
        '{part} de {thing} {color}',
        '{brand} {part} universel pour {thing} et {other}',
        '{part} {thing} {model}',
      ],
    },
    descriptions: {
      thing: ['{thing} avec {word} et {word}.', '{word}, {word}, {word}. Livré avec {part}.'],
      part: ['{part} pour votre {thing}. Convient à tout {thing}.', '{part} solide de {brand}.'],
    },
    asked: {
      thing: '{thing}',
      branded: '{thing} {brand}',
      colored: '{thing} {color}',
      sized: '{thing} {size}',
      part: '{part}',
      partOf: '{part} pour {thing}',
    },
    hasCategories: false,
    hasTypes: false,
    thingsOfKind: 14,
    partsOfKind: 9,
  },
  {
    name: 'compounds',
    language: 'de',
    things: german,
    colors: ['schwarz', 'weiß', 'rot', 'blau'],
    sizes: ['klein', 'groß', 'kompakt'],
    titles: {
      thing: [
        '{brand} {thing} {model} {color}',
        '{brand} {size} {thing} mit {word}',
        '{thing} {brand} {model}',
      ],
      part: [
        '{brand} {thing}{part-low} {color}',
        '{part} für {thing} {brand}',
        '{brand} {part} {model} für {thing} und {other}',
        '{thing}-{part} {color}',
      ],
    },
    descriptions: {
      thing: ['{thing} mit {word} und {word}.', '{word}, {word}, {word}. Mit {part}.'],
      part: ['{part} für Ihr {thing}, passt auf jedes {thing}.', 'Robust, von {brand}.'],
    },
    asked: {
      thing: '{thing}',
      branded: '{brand} {thing}',
      colored: '{thing} {color}',
      sized: '{thing} {size}',
      part: '{part}',
      partOf: '{part} für {thing}',
    },
    hasCategories: false,
    hasTypes: false,
    thingsOfKind: 14,
    partsOfKind: 9,
  },
];

function pick<T>(chance: Chance, values: readonly T[]): T {
  return values[Math.floor(chance.fraction() * values.length)];
}

function written(
  template: string,
  { thing, part, brand, color, size }: Attributes,
  shape: Shape,
  chance: Chance,
): string {
  const values: Record<string, () => string> = {
    thing: () => thing.name,
    part: () => part ?? pick(chance, thing.parts),
    'part-low': () => (part ?? pick(chance, thing.parts)).toLowerCase(),
    other: () => pick(chance, shape.things).name,
    word: () => pick(chance, thing.words),
    model: () => `${pick(chance, ['A', 'K', 'MX', 'Pro', 'S'])}${Math.floor(chance.fraction() * 900 + 100)}`,
    brand: () => brand,
    color: () => color,
    size: () => size,
  };
  return template.replace(/\{([a-z-]+)\}/g, (_, name) => values[name]());
}

type Sold = Attributes & { itemId: string };

function sell(shape: Shape): Sold[] {
  const chance = createChance(`shop ${shape.name}`);
  const sold: Sold[] = [];
  for (const thing of shape.things) {
    for (const part of [undefined, ...thing.parts]) {
      const count = part === undefined ? shape.thingsOfKind : shape.partsOfKind;
      for (let i = 0; i < count; i++)
        sold.push({
          itemId: `p${sold.length}`,
          thing,
          part,
          brand: pick(chance, brands),
          color: pick(chance, shape.colors),
          size: pick(chance, shape.sizes),
        });
    }
  }
  return sold;
}

function documentOf(item: Sold, shape: Shape): Record<string, unknown> {
  const chance = createChance(`text ${shape.name} ${item.itemId}`);
  const { thing, part } = item;
  const kind = part === undefined ? 'thing' : 'part';
  const write = (templates: readonly string[]): string =>
    written(pick(chance, templates), item, shape, chance);
  const filed = part === undefined ? thing.name : `${thing.name} accessories/${part}`;
  return {
    title: write(shape.titles[kind]),
    description: write(shape.descriptions[kind]),
    language: shape.language,
    brand: item.brand,
    ...(shape.hasCategories && { categories: [`shop/${filed}`] }),
    ...(shape.hasTypes && { type: part === undefined ? thing.name : `${thing.name} ${part}` }),
  };
}

/** 3 for a match of all attributes, 1 for the same kind only, or for an accessory. */
type Grade = (item: Sold) => number;

const isThing = (thing: Thing, item: Sold): boolean => item.thing === thing && item.part === undefined;

function questionsOf(shape: Shape): { query: string; grade: Grade }[] {
  const chance = createChance(`queries ${shape.name}`);
  const { asked } = shape;
  return shape.things.flatMap((thing) => {
    const wanted = {
      brand: pick(chance, brands),
      color: pick(chance, shape.colors),
      size: pick(chance, shape.sizes),
    };
    const part = pick(chance, thing.parts);
    const ask = (template: string): string =>
      written(template, { thing, part, ...wanted }, shape, chance).toLowerCase();
    const like =
      (has: (item: Sold) => boolean): Grade =>
      (item) =>
        isThing(thing, item) ? (has(item) ? 3 : 1) : 0;
    return [
      {
        query: ask(asked.thing),
        grade: (item: Sold) => (isThing(thing, item) ? 3 : item.thing === thing ? 1 : 0),
      },
      { query: ask(asked.branded), grade: like(({ brand }) => brand === wanted.brand) },
      { query: ask(asked.colored), grade: like(({ color }) => color === wanted.color) },
      { query: ask(asked.sized), grade: like(({ size }) => size === wanted.size) },
      { query: ask(asked.part), grade: (item: Sold) => (item.part === part ? 3 : 0) },
      {
        query: ask(asked.partOf),
        grade: (item: Sold) => (item.part === part ? (item.thing === thing ? 3 : 1) : 0),
      },
    ];
  });
}

/** By name of the shape. */
export function generatedShops(): Record<string, SearchCollection> {
  return Object.fromEntries(
    shapes.map((shape) => {
      const sold = sell(shape);
      const judged = new Map<string, Map<string, number>>();
      for (const { query, grade } of questionsOf(shape)) {
        const graded = sold.map((item) => [item.itemId, grade(item)] as const).filter(([, one]) => one > 0);
        if (graded.length > 0) judged.set(query, new Map(graded));
      }
      return [
        shape.name,
        {
          items: sold.map((item) => ({ itemId: item.itemId, document: documentOf(item, shape) })),
          properties: [
            { name: 'brand', type: 'string', weight: 1 },
            ...(shape.hasTypes ? [{ name: 'type', type: 'string' as const, weight: 1 }] : []),
          ],
          judged: [...judged].map(([query, grades]) => ({ query, grades })),
        } satisfies SearchCollection,
      ];
    }),
  );
}
