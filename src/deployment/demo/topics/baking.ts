import type { Topic } from './material.ts';

/** Bread, cakes and pastry at home. */
export const baking: Topic = {
  category: 'kitchen/baking',
  authors: ['Margit Oster', 'Clémence Aubry', 'Hal Pemberton'],
  material: `
## sourdough
article: A sourdough starter in seven days and three jars | 9 | sourdough, beginner, fermentation
  What you should see, smell and ignore each morning, with the one day on which everyone gives up.
article: Why your loaf is flat: eleven causes in order of likelihood | 10 | sourdough, bread, science
  Start at the top. In our kitchen it was number two, nine times out of ten.
article: Rye is not wheat, so stop kneading it | 8 | rye, bread, sourdough
  A dark loaf that needs a spoon, a tin and a night. No muscles at all.
article: The baker who feeds a starter from 1921 | 7 | interview, sourdough, history
  It crossed a sea in a biscuit tin. He takes it on holiday, too.
article: Le levain de ma grand-mère ne savait pas lire l'heure | 6 | sourdough, story | fr
  Une cuisine froide, une farine différente chaque mois, et un pain qui levait quand même.
item: Proofing baskets of rattan, set of two | Mollen & Rye 27.95 | sourdough, bread
  One round, one oval, with linen covers that go in the wash.
item: Cast-iron bread oven with shallow base | Hearthware 139 | bread, sourdough
  The loaf sits on the low half, the deep half is the lid, and your wrists stay unburnt.
item: Scoring blade with walnut handle | Mollen & Rye 16.50 | bread, skills
  A curved razor for ears and leaves. Five spare blades in a tin.
item: Wholegrain rye flour, stone-ground, 5 kg | Mollen & Rye 14.95 | rye, flour
  Milled slowly and cool, from two farms that we can name.
item: Starter jar with glass lid and band | Hearthware 12.95 | sourdough, fermentation
  Straight sides, so that you can see the rise, and a scale in millilitres.
video: Shaping a loaf in eight calm movements | 9 | bread, sourdough, skills
  Filmed from above, once at speed and once so slowly that you can follow along.
video: Twenty-four hours with one dough | 26 | sourdough, fermentation, story
  A camera, a thermometer and a loaf that takes its time.
video: Feeding a starter: how little is enough? | 7 | sourdough, budget, beginner
  We kept five jars for a month and threw away almost nothing.

## pastry
article: Croissants on a Saturday: a timetable that lets you sleep | 11 | pastry, weekend, butter
  Three folds on Friday night, one cold night, and an oven at ten past eight.
article: Cold butter, hot oven: what makes pastry flake | 7 | pastry, science, butter
  A cross-section, a ruler and eighty-one layers that we actually counted.
article: The lemon tart that does not weep | 6 | pastry, lemon, recipe
  Bake the case to a deep brown, take the curd off early, and wait. Above all, wait.
article: Choux in any weather | 8 | pastry, recipe, skills
  Humidity is the enemy, eggs are the variable, and the back of a spoon is the test.
article: Apfelstrudel auf dem Küchentisch ziehen | 9 | pastry, fruit, recipe | de
  Ein Teig, dünn genug zum Zeitunglesen, und warum die Ringe vorher vom Finger müssen.
item: Marble pastry slab, 50 by 40 | Hearthware 84 | pastry, butter
  Stays cool through four folds and weighs enough to stay where you put it.
item: French rolling pin of beech | Maison Orel 22.50 | pastry, skills
  Tapered, without handles, so that you feel how thick the dough is.
item: Fluted tart rings, four sizes | Maison Orel 31 | pastry, tart
  Perforated steel without a base: crisp sides and no soggy corner.
item: Cultured butter sheets for lamination, 1 kg | Maison Orel 17.95 | butter, pastry
  Eighty-four percent fat and already flat. Half of the work is done.
item: Piping set with twelve steel nozzles | Hearthware 26.95 | pastry, cake
  Two cotton bags and nozzles with seamless edges, in a box that closes.
video: Laminating dough on a warm day | 18 | pastry, butter, skills
  What to do when the butter starts to move before you do.
video: Éclairs: sept erreurs et comment les éviter | 13 | pastry, skills | fr
  Une pâtissière fait exprès de tout rater, puis recommence correctement.
video: One tart, four seasons | 22 | pastry, fruit, tart
  The same case with rhubarb, cherries, plums and pears.

## cakes
article: A plain cake worth learning by heart | 5 | cake, beginner, recipe
  Four equal weights, one tin, forty minutes. Everything else is decoration.
article: Birthday cakes that fit in a bicycle pannier | 6 | cake, party
  Flat, firm, still impressive. We rode three of them across town.
article: Honey cake and the patience of eight layers | 10 | cake, honey, history
  It tastes of nothing on the first day and of everything on the third.
article: Baking without eggs: what actually works | 8 | cake, science, vegan
  Chickpea water, linseed, vinegar and yoghurt in twelve identical sponges.
article: Boterkoek: drie ingrediënten, honderd meningen | 5 | cake, butter, recipe | nl
  Wel of geen ei op de bovenkant, en waarom je hem een dag moet laten staan.
item: Springform tin with glass base | Hearthware 32.95 | cake
  Serve from the base it was baked on. Leakproof up to a wet cheesecake.
item: Bundt tin of cast aluminium | Maison Orel 45 | cake, party
  Thick walls brown evenly; a deep pattern hides a clumsy hand with icing.
item: Kitchen scale to the tenth of a gram | Hearthware 38.50 | skills, science
  Weighs five kilos of flour and half a gram of yeast, both truthfully.
item: Wildflower honey, 900 g | Mollen & Rye 13.95 | honey, cake
  Unheated and different every summer. This one remembers lime trees.
item: Turntable for icing, cast iron foot | Maison Orel 54 | cake, party
  Spins for eleven seconds at a push and does not wander.
video: Smooth icing with a ruler and a warm knife | 10 | cake, skills, party
  No turntable, no problem. Sharp edges in four passes.
video: The honey cake of a whole village | 19 | cake, honey, story
  Eleven kitchens, one recipe, and not two cakes alike.
video: Plain cake, five variations | 12 | cake, recipe, beginner
  Lemon, seed, marble, apple, rum. One bowl each.

## flour
article: From field to bag: a week at a watermill | 12 | flour, history, interview
  The miller listens to the stones. When the pitch changes, so does the flour.
article: What the protein number on the bag means | 6 | flour, science, beginner
  And why eleven and a half is fine for almost everything you bake.
article: Spelt, einkorn, emmer: old grains in new loaves | 9 | flour, bread, history
  Thirsty, fragile and full of taste. Three recipes that respect what they are.
article: Milling at home without waking the house | 7 | flour, skills
  Burrs, stones, noise in decibels and how warm the flour gets.
item: Grain mill with corundum stones | Mollen & Rye 329 | flour
  Grinds a hundred grams of wheat a minute, finely enough for brioche.
item: Einkorn flour, sifted, 2.5 kg | Mollen & Rye 12.50 | flour, bread
  A golden flour that smells of nuts and needs less water than you think.
item: Linen flour sack, 10 litres | Hearthware 24.95 | flour, gift
  Breathes, hangs on a hook and keeps its mouth shut with a wooden button.
item: The miller's notebook: 30 loaves from 9 grains | Footpath Press 29.95 | flour, bread, gift
  Recipes by weight, with photographs of the crumb rather than of the author.
video: Dressing a millstone by hand | 16 | flour, history, skills
  Four days with a chisel and a goose feather.
video: One recipe, six flours | 14 | flour, bread, science
  The same dough with six bags from the same shelf, side by side under a lamp.
video: Backen mit Einkorn: weicher Teig, ruhige Hände | 11 | flour, bread, skills | de
  Warum dieser Teig klebt, wann man ihn in Ruhe lässt und wie er trotzdem aufgeht.
`,
};
