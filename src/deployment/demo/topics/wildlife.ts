import type { Topic } from './material.ts';

/** Animals and plants near home, and the people who watch them. */
export const wildlife: Topic = {
  category: 'science/wildlife',
  authors: ['Bronagh Tully', 'Emil Sørlund', 'Fenna Wolters'],
  material: `
## birds
article: Telling warblers apart when they refuse to sit still | 9 | birds, identification, skills
  Ignore the colours. Listen, look at the legs, and note what the tail does.
article: The dawn chorus has a running order | 6 | birds, spring, sound
  The redstart opens in the dark, the sparrow comes in last. Set an alarm once a year.
article: A feeder that sparrows like and rats do not | 7 | birds, garden, skills
  Height, a tray, and the habit of feeding less. Plans for one plank of wood.
article: How a swift sleeps | 5 | birds, science, sleep
  In the air, with half of its brain at a time, somewhere above your house.
article: Weidevogels tellen bij zonsopgang | 8 | birds, spring, interview | nl
  Met een boer, een verrekijker en een thermoskan door nat gras, op zoek naar de grutto.
item: Binoculars 8 x 42, close focus | Wildmark 219 | binoculars, birds
  Bright at dusk and sharp at two metres, for birds in hedges and for dragonflies.
item: Nest box for swifts, larch | Hedgerow 39.50 | birds, garden
  Hangs under the eaves. Be patient: they look for two summers before they move in.
item: Bird feeder with wide tray | Hedgerow 34.95 | birds, garden, winter
  Copper roof, four perches, opens fully for washing.
item: Spotting scope 65 mm, angled | Wildmark 389 | birds, telescope
  For mudflats, islands and the top of the far poplar. Shows Saturn on the way home.
item: Warblers: a field guide by movement | Footpath Press 27.50 | birds, identification, gift
  Eighty species sorted by how they behave, since that is what you see.
video: Twelve warblers in twelve minutes | 12 | birds, identification, sound
  Song first, picture afterwards. Guess before we tell.
video: A year at the nest box | 32 | birds, spring, story
  One camera, one hole, nine chicks and a very tired father.
video: Les martinets reviennent : compter les nids en ville | 9 | birds, city | fr
  Un quartier entier lève la tête pendant dix minutes, tous les soirs de mai.

## mammals
article: Reading tracks in fresh snow | 7 | tracks, winter, skills
  A story in three acts: who came, who followed, and who flew away.
article: The hedgehog motorway: thirteen gaps in thirteen fences | 6 | garden, mammals, city
  A street agreed on a hole of thirteen centimetres. It took a year of cakes.
article: Living next door to beavers | 10 | mammals, water, interview
  A farmer lost a field and won a wetland. He is still making up his mind.
article: What bats say, slowed down ten times | 8 | bats, sound, night
  A clicking, a chirp, and just before the moth is caught, a small machine gun.
article: Auf der Spur der Wildkatze | 9 | mammals, tracks, science | de
  Holzlatten mit Baldrian, ein paar Haare und ein Labor, das Familiengeschichten liest.
item: Bat detector with headphone socket | Wildmark 79.95 | bats, sound, night
  Turns the dial of the night to a pitch that we can hear.
item: Trail camera with silent shutter | Wildmark 149 | mammals, camera, night
  Half a year on one set of batteries, and no red glow to scare the badger.
item: Hedgehog house of oak | Hedgerow 64.95 | garden, mammals
  A tunnel keeps the cats out. Fill with leaves in October and then leave it alone.
item: Animal tracks, life-size cards | Footpath Press 15.95 | tracks, identification, gift
  Forty footprints on washable card. Lay them beside the real thing.
item: Bat box, three chambers | Hedgerow 42 | bats, garden
  Rough inside, dark outside, four metres up on the warm side of the house.
video: Badgers at ten past nine | 15 | mammals, night, camera
  Every evening for a month, they came within four minutes of the same time.
video: Snow tracks: a morning detective story | 11 | tracks, winter
  We find a fox, lose a hare and end at a feather.
video: Listening to bats along a canal | 13 | bats, sound, city
  Three species, four bridges, one detector, no sleep.

## insects
article: Which bee is that? A key for the flower bed | 8 | bees, identification, garden
  Six questions lead to most of the bees that you will ever meet.
article: Moths by lamp and bedsheet | 7 | moths, night, skills
  Hang it up at dusk, sit down with tea, and count to fifty before midnight.
article: Why dragonflies never bump into each other | 8 | dragonflies, science, water
  They steer to where the other will be. We filmed it at a thousand frames a second.
article: An insect hotel that guests actually use | 6 | bees, garden, skills
  Clean holes, hard wood, full sun. Fir cones are for the owner of the hotel.
article: The meadow that was only mown once | 9 | garden, interview, flowers
  In year one it looked neglected. In year four it had eleven kinds of butterfly.
item: Hand lens 10 x with light | Wildmark 29.95 | identification, flowers
  The world between your thumb and your nose, in focus.
item: Moth trap with actinic lamp | Wildmark 119 | moths, night
  Folds flat, runs for a night on a small battery, and lets everyone go in the morning.
item: Wild bee nesting block, hardwood | Hedgerow 29.50 | bees, garden
  Drilled across the grain and sanded, as bees prefer and few shops know.
item: Meadow seed for poor soil, 500 g | Hedgerow 22.95 | flowers, garden
  Forty native species. Sow thin, walk on it, and wait for the second summer.
item: Pond net with fine mesh | Hedgerow 19.50 | water, dragonflies
  Lifts a backswimmer without harming a hair. Telescopic handle for short arms.
video: Dragonflies at a thousand frames a second | 10 | dragonflies, science, camera
  Four wings, each with a mind of its own.
video: A night with a bedsheet and a lamp | 17 | moths, night, story
  What came, what it ate as a child, and one that none of us could name.
video: Wilde bijen in een geveltuin van een meter | 7 | bees, garden, city | nl
  Drie tegels eruit, vijf planten erin. Binnen een week was de eerste metselbij er.

## plants
article: The tree that tells you when spring will come | 6 | trees, spring, science
  Two hundred years of first leaves, written in the diaries of a vicarage.
article: Foraging for beginners: five plants you cannot mistake | 8 | foraging, food, beginner
  Nettle, ramson, elder, hazel, blackberry. Everything else can wait for a teacher.
article: How moss survives on a tin roof | 5 | moss, science
  It dries to dust, sleeps for months, and wakes up in ninety seconds.
article: Mushrooms: what the smell gives away | 9 | foraging, autumn, identification
  Aniseed, flour, radish, ink. Trust the nose, then ask somebody who knows.
item: Foraging basket with brush and knife | Hedgerow 46.95 | foraging, autumn
  Lets the spores fall as you walk, and looks better than a plastic bag.
item: Flower press of beech, A4 | Hedgerow 37.50 | flowers, gift
  Ten layers and four wing nuts. Summer keeps in it for years.
item: Trees in winter: a guide to buds and bark | Footpath Press 22.50 | trees, winter, identification
  For the half of the year in which the leaves are no help.
item: Herbarium sheets with gummed strips, 50 | Footpath Press 19.50 | flowers, science
  Acid-free and thick; with labels for place, date and the weather.
video: Nettles to soup in half an hour | 8 | foraging, recipe, spring
  Gloves, a pot, and no sting left at the end.
video: Buds and bark: naming ten bare trees | 14 | trees, winter, identification
  A January walk with a teacher who never looks at leaves.
video: Moss waking up, in one close shot | 6 | moss, science, camera
  Add water. Ninety seconds, no cuts.
`,
};
