import type { Topic } from './material.ts';

/** Bicycles: riding far, riding daily, keeping them going. */
export const cycling: Topic = {
  category: 'outdoor/cycling',
  authors: ['Jonas Velde', 'Maud Carrick', 'Piet Sanders'],
  material: `
## touring
article: Across three borders with four panniers | 13 | touring, story, camping
  Nine hundred kilometres of river path, two broken spokes and the best plum cake of the year.
article: How to carry a week of food on a bicycle | 7 | touring, food, planning
  Heavy and low in front, dry and light at the back, chocolate within reach.
article: Gravel or road? Choosing tyres for a mixed tour | 9 | tyres, touring
  We rode the same eighty kilometres on three sets and wrote down every curse.
article: The night train takes bicycles again | 6 | train, touring, planning
  Which routes, which hooks, and how early you must book a place for two.
article: Langs de IJssel in drie dagen: een fietstocht met pontjes | 10 | touring, weekend, food | nl
  Zes pontjes, twee Hanzesteden en een tegenwind die pas op de laatste middag ging liggen.
item: Waterproof panniers, pair of 20 litres | Kettleridge 134 | touring, rain
  Roll-top bags of a heavy coated fabric, with hooks that lock on any rack.
item: Handlebar bag with map window | Velomaat 64.95 | touring, map
  Opens towards you and comes off with one hand, camera and sandwiches included.
item: Steel touring frame, sizes 50 to 62 | Kettleridge 749 | touring, steel
  Bosses for three bottles and two racks, and clearance for tyres you have not thought of yet.
item: Gravel tyre 45 mm, tan wall | Roadbird 44.95 | tyres, gravel
  Rolls like a road tyre in the middle and holds like a knobbly one at the edges.
item: Bicycle camping stove kit | Velomaat 58 | stove, camping, touring
  Burner, pot and windshield that stack inside a bottle cage.
video: Loading a touring bicycle, bag by bag | 12 | touring, planning, beginner
  What goes where, why, and how to find out before the first hill.
video: Nine hundred kilometres along one river | 41 | touring, story
  From the spring to the sea in eleven days, filmed from the handlebars.
video: Met de fiets de nachttrein in | 8 | train, touring | nl
  Wij proberen het uit: haken, trappen, een slaperige conducteur en ontbijt in een ander land.

## repair
article: Change an inner tube in six minutes with cold hands | 5 | repair, tyres, beginner
  The trick is in the last ten centimetres of tyre. No levers, no pinched tube, no tears.
article: Listening to a drivetrain: a guide to clicks and creaks | 9 | repair, gears
  A click once per pedal turn is not the same as a click once per wheel turn.
article: True a wheel at the kitchen table | 10 | repair, wheels, skills
  A zip tie, a spoke key and patience will do what a stand does.
article: When is a chain worn out? | 4 | repair, gears, budget
  Measure twelve links, read one number, save a cassette.
article: The repair café where nobody pays and everybody talks | 8 | repair, interview, city
  Saturday morning in a former school kitchen, with five mechanics and one kettle.
item: Spoke key with six sizes | Roadbird 11.95 | repair, wheels
  Forged, knurled and small enough to lose. Comes with a bright cord so that you will not.
item: Workshop stand with folding legs | Kettleridge 159 | repair
  Holds twenty-five kilos at eye height and fits behind a door.
item: Chain checker with drop-in gauge | Roadbird 12.50 | repair, gears
  Two marks, half and three quarters of a percent, and no batteries.
item: Patch kit in a tin, old style | Velomaat 5.95 | repair, tyres, budget
  Six patches, rubber solution and a piece of sandpaper, as your grandfather carried it.
item: Wet-weather chain oil, 120 ml | Roadbird 9.50 | repair, rain
  Stays on through a winter of commuting and washes off with soap.
video: Six-minute puncture repair in real time | 6 | repair, tyres, beginner
  No cuts. Start the clock when you hear the hiss.
video: Indexing gears without swearing | 11 | repair, gears, skills
  Cable tension, limit screws and the order in which to touch them.
video: Building a wheel from thirty-two spokes | 33 | repair, wheels, skills
  A wheel builder explains lacing, tension and why she plucks every spoke.

## commuting
article: A winter of cycling to work, counted in dry socks | 8 | commuting, winter, rain
  A hundred and three days, of which it rained on thirty-one. It felt like more.
article: How wide is a cycle lane, really? | 6 | city, planning
  We measured forty streets at rush hour with a broomstick and a tape.
article: Cargo bike or second car? A year of receipts | 11 | cargo, budget, city
  Two children, one dog, a cello. We wrote down every trip and every cent.
article: The traffic engineer who removed the traffic lights | 9 | interview, city, history
  Eleven junctions later, he explains what drivers do when nobody tells them.
article: Que faire d'un vélo volé puis retrouvé ? | 5 | city, repair | fr
  Les papiers, la serrure, la roue arrière qui n'est plus la bonne : petit guide après la bonne nouvelle.
item: Dynamo front light, 80 lux | Velomaat 69.95 | commuting, night, safety
  A flat-topped beam that shows the potholes and spares the eyes of those who come towards you.
item: Rain cape for upright bicycles | Kettleridge 79 | rain, commuting
  Covers hands and knees and lets the air out below. Elegant is not the word, dry is.
item: Folding lock, 90 centimetres | Velomaat 74.50 | city, safety
  Six hardened links that fold to the size of a sandwich.
item: Mudguards with leather flap | Kettleridge 49.95 | rain, commuting
  Long enough for the shoes of the rider and the face of the one behind.
item: Reflective trouser straps, pair | Velomaat 7.95 | commuting, safety, night
  Keep cloth from chain and show your ankles to the world.
video: Six children, one cargo bike: a school run | 9 | cargo, city, story
  Rain, two lunch boxes, a lost mitten. A perfectly normal Tuesday.
video: Riding in ice and slush, taught on a car park | 10 | winter, commuting, skills
  How to fall less, and how to fall better.
video: The quiet street: a neighbourhood before and after | 15 | city, history
  Same corner, same camera, two years apart.

## racing
article: What it takes to ride 300 kilometres in a day | 12 | endurance, training, food
  Not talent. A plan for food every forty minutes and somebody to talk to at kilometre 240.
article: Cobbles: a short history of a very bad road | 8 | history, cobbles
  Why a race goes out of its way to find the worst farm tracks in the country.
article: Pedalling in circles and other stubborn myths | 7 | training, science
  A laboratory, sixteen riders, and a result that nobody in the room liked.
article: Training with a stopwatch instead of a power meter | 9 | training, budget
  One hill, twice a week, and a notebook. You will know enough.
item: Wool race jersey with three pockets | Roadbird 89.95 | wool, racing
  Warm when wet, cool when dry, and it does not smell after a weekend in a bag.
item: Carbon-soled road shoes | Roadbird 179 | racing
  Stiff where the pedal is, soft around the ankle, wide enough for real feet.
item: Energy bars with fig and salt, box of 12 | Kettleridge 23.40 | food, endurance
  Four ingredients. They open with one hand and do not freeze at two degrees.
item: Indoor trainer with quiet belt drive | Velomaat 499 | training, winter
  Simulates climbs up to sixteen percent without waking the neighbours.
video: Inside the broom wagon on the longest day | 22 | endurance, story, interview
  The last car in the race has the best stories.
video: Riding in a bunch: holding a wheel without fear | 14 | racing, skills
  Look at the hips, not at the tyre. Eight drills for a Sunday group.
video: Three hills, one stopwatch | 17 | training, racing
  A season of training on one small road, told through numbers on a fence post.
`,
};
