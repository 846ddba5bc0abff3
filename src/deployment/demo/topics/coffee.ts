import type { Topic } from './material.ts';

/** Coffee: beans, brewing, machines and the places where it is drunk. */
export const coffee: Topic = {
  category: 'kitchen/coffee',
  authors: ['Renzo Abate', 'Lotte Kamp', 'Wanjiru Keane'],
  material: `
## brewing
article: Pour-over for people who are not awake yet | 5 | filter, beginner, recipe
  Four numbers on a sticky note are enough. The fifth is the time at which you may talk.
article: The water in your kettle is half of the cup | 8 | water, science, filter
  Three cities, three taps, one bag of beans. We could not believe it was the same coffee.
article: Cold brew, counted in hours instead of recipes | 6 | cold-brew, summer, recipe
  We tasted every two hours for a day. The best glass came earlier than expected.
article: The moka pot deserves better than this | 7 | moka, skills, history
  Hot water below, low flame, and off before the gurgle. Your grandmother knew.
article: Filterkaffee ist zurück, und er war nie weg | 8 | filter, history, interview | de
  Ein Besuch bei der Frau, die seit 1978 dieselbe Kanne benutzt.
item: Ceramic dripper, two cups | Brewline 24.95 | filter
  Thick walls that hold the heat and ribs that let the air out.
item: Gooseneck kettle with dial thermometer | Brewline 69 | filter, water
  Pours as thin as a pencil line and tells you when it is ninety-four degrees.
item: Moka pot for three, brushed steel | Altura 44.95 | moka, camping
  Works on gas, induction and, with care, on a camp fire.
item: Paper filters, unbleached, 200 pieces | Kopje 8.95 | filter, budget
  Rinse once and they taste of nothing, which is the point.
item: Cold brew tower of glass, one litre | Altura 129 | cold-brew, summer, gift
  One drop every second and a half, for as long as you can bear to watch.
video: Pour-over in four numbers | 6 | filter, beginner, skills
  Dose, water, temperature, time. Then a small correction for your own tap.
video: Blind tasting: eight waters, one coffee | 17 | water, tasting, science
  Three professionals, one sceptic, and a bottle that surprised them all.
video: The moka pot on low heat | 8 | moka, skills
  Filmed through the glass of a cut-open pot.

## espresso
article: Dialling in: one change at a time | 9 | espresso, grinder, skills
  Grind, dose, yield. Change the first, keep the others, and write it down.
article: What nine bars of pressure do to a puck | 7 | espresso, science
  A transparent basket and a very fast camera settle an old argument.
article: A second-hand machine: what to check before you pay | 8 | espresso, repair, budget
  Scale, gaskets, a smell of burnt dust. Bring a torch and a cup.
article: Milk, steam and the sound of tearing paper | 6 | espresso, milk, skills
  If it screams you are too deep; if it spits you are too high.
article: Wat een barista in Napoli mij niet wilde uitleggen | 7 | espresso, story, tasting | nl
  Drie dagen aan dezelfde toog, en op de laatste ochtend toch een kleine aanwijzing.
item: Single-boiler espresso machine with manometer | Altura 649 | espresso
  A brass group, a proper steam wand, and screws where others use glue.
item: Hand grinder with steel burrs | Brewline 119 | grinder, espresso, filter
  Forty clicks from coarse to fine. Quiet enough for a tent at dawn.
item: Electric grinder, single dose | Altura 389 | grinder, espresso
  What goes in comes out, to a tenth of a gram, in eight seconds.
item: Tamper of beech and steel, 58 mm | Brewline 39.50 | espresso, skills
  Sits level by itself, so that you need not be a spirit level before breakfast.
item: Milk jug with pointed spout, 350 ml | Brewline 21.95 | milk, espresso
  Enough for two small cups and one decent tulip.
video: Pulling a shot, ruining it, finding out why | 14 | espresso, skills, grinder
  Eleven cups, ten of them bad, each for a different reason.
video: Descaling without fear | 9 | espresso, repair
  A machine opened on the kitchen table, and what eight years of hard water look like.
video: Latte art in the time it takes to cool | 7 | milk, espresso, skills
  One heart, one tulip, and one thing that was meant to be a swan.

## beans
article: Washed, natural, honey: three ways to peel a cherry | 8 | beans, tasting, science
  What happens in the first forty hours after picking, and why you can taste it months later.
article: A roaster's diary of one bad harvest | 10 | beans, roasting, interview
  Rain in the wrong month, a container that came late, and a blend saved by a pinch of patience.
article: Reading a coffee bag without rolling your eyes | 5 | beans, beginner, tasting
  Altitude matters, variety matters, stewed plum is somebody's opinion.
article: Roasting in a frying pan on the balcony | 9 | roasting, beans, skills
  Smoke, crackle, chaff everywhere. It was better than the supermarket, and we were proud.
article: Decaf that a coffee drinker would order twice | 6 | beans, tasting, health
  We tasted nine of them after dinner, then slept like stones.
item: Espresso blend No. 4, 1 kg | Kopje 27.50 | beans, espresso
  Chocolate and roasted hazelnut, made for milk and for Monday.
item: Washed Ethiopian beans, light roast, 250 g | Kopje 13.95 | beans, filter, tasting
  Bergamot and black tea. Let it rest ten days and brew it a little cooler.
item: Decaf from the highlands, 250 g | Kopje 12.50 | beans, health
  Water process, medium roast; caramel and a clean finish.
item: Home roaster for 150 grams | Altura 279 | roasting, beans
  A drum with a window and a knob that you will turn more than you planned.
item: Tasting wheel, printed on linen | Footpath Press 26 | tasting, gift
  Words for what your tongue knows already. Hangs well above a counter.
video: A cupping table with nine bowls | 15 | tasting, beans, skills
  Slurp loudly. A taster explains what she writes down, and what she leaves out.
video: From cherry to sack on a hillside farm | 29 | beans, story, interview
  Four months of harvest and one long drying floor under the clouds.
video: Rôtir à la poêle : fumée, patience, café | 11 | roasting, beans | fr
  Un balcon, une vieille poêle et des voisins très compréhensifs.

## cafes
article: The café with one table | 6 | cafe, interview, city
  It seats four people who have never met. The owner insists.
article: Six railway station cafés worth missing a train for | 7 | cafe, train, city
  High ceilings, tired clocks and, in one of them, an excellent almond bun.
article: How the Viennese coffee house learned to lend newspapers | 9 | cafe, history
  Marble tables, a glass of water, and the right to sit all day for one cup.
article: What a barista hears at seven in the morning | 5 | cafe, interview, story
  Names, complaints, one proposal of marriage. She remembers the orders.
item: Stoneware cups without handles, set of four | Kopje 36 | cafe, gift
  Thrown by hand, glazed in two greys, comfortable to hold when it is cold outside.
item: Insulated travel mug, 350 ml | Brewline 29.95 | commuting, train
  Shuts tight, drinks clean, and fits a bicycle bottle cage.
item: Café chair of bent beech | Altura 149 | cafe, furniture
  Six pieces of wood, ten screws, a hundred and fifty years of sitting.
item: Forty cafés: a pocket guide for slow travellers | Footpath Press 18.95 | cafe, city, gift
  Opening hours, which window to sit at, and what not to order.
video: A morning behind the bar in five cups | 12 | cafe, story, espresso
  From the first shot that nobody drinks to the last of the breakfast rush.
video: The last lever machine in the harbour | 18 | cafe, history, espresso
  It was built in 1956, and only two people can mend it.
video: Koffie om zes uur: de marktkooplui van het plein | 9 | cafe, story, city | nl
  Sterk, snel en staand gedronken, voordat de kramen opengaan.
`,
};
