import type { Topic } from './material.ts';

/** The night sky: telescopes, planets, deep sky and spaceflight. */
export const astronomy: Topic = {
  category: 'science/astronomy',
  authors: ['Salome Ekberg', 'Ravi Mendes', 'Joost Hekker'],
  material: `
## observing
article: Your first night with a telescope, minute by minute | 9 | telescope, beginner, night
  Let it cool, align the finder by daylight, start with the Moon. And dress for a night two months colder.
article: How dark is dark? Measuring the sky above your street | 7 | night, light-pollution, science
  Count the stars inside one constellation, twice a month, and you have a small research project.
article: Ten double stars for a city balcony | 8 | telescope, city, stars
  Gold and blue, white and white, and one pair that splits only on still nights.
article: Drawing at the eyepiece | 6 | telescope, skills, story
  A soft pencil and a red lamp make you see twice as much as a camera does.
article: Sterrenkijken op het wad: een nacht zonder lantaarnpalen | 8 | night, stars, coast | nl
  Laag water om twee uur, de Melkweg tot aan de horizon en natte voeten bij de terugweg.
item: Dobsonian telescope, 200 mm | Caldera 479 | telescope, beginner
  A large mirror in a simple wooden mount. Nothing to plug in, a lot to see.
item: Wide-field eyepiece, 24 mm | Caldera 119 | telescope
  A porthole rather than a keyhole: the whole of the Pleiades in one look.
item: Red reading lamp for the night sky | Noctis 18.95 | night, map
  Dim enough for your eyes, bright enough for a chart.
item: Star chart that turns, for 52 degrees north | Noctis 21.50 | map, stars, beginner
  Set the date against the hour and hold it over your head. It never needs an update.
item: Observing chair with seven heights | Meridian 129 | telescope, furniture
  Who sits sees more. Folds flat and is steady on grass.
video: Collimating a telescope in daylight | 12 | telescope, skills, repair
  Three screws, one paper ring, and no need to be afraid of any of them.
video: A whole night at the eyepiece in twenty minutes | 20 | telescope, night, stars
  From dusk to first light, with what we saw and what we only thought we saw.
video: Finding anything: star-hopping with two fingers | 10 | stars, beginner, skills
  A fist is ten degrees, three fingers are five. The rest is patience.

## planets
article: What to look for on Jupiter this month | 6 | planets, telescope
  Four moons change places every night, and with luck a shadow crosses the cloud tops.
article: The rings of Saturn will disappear, and it is fine | 7 | planets, science
  Every fifteen years we see them edge-on. A short geometry of a very thin thing.
article: Weather on Venus, for people who complain about drizzle | 8 | planets, weather, science
  Acid clouds, lead-melting afternoons, and one layer at a pleasant twenty degrees.
article: How we learned the size of the solar system from a black dot | 11 | planets, history
  In 1769 ships sailed round the world to time the same six hours. It rained on some of them.
article: Der Mars kommt näher: ein Beobachtungskalender | 7 | planets, telescope, planning | de
  Welche Wochen sich lohnen und warum ein orangefarbener Filter mehr zeigt als ein größeres Rohr.
item: Planetary camera, colour, USB | Caldera 239 | camera, planets
  A hundred frames a second, of which you keep the three calm ones.
item: Orange and blue filters, set of two | Caldera 32.95 | planets, telescope
  Orange for the dust on Mars, blue for the bands of Jupiter.
item: Maksutov telescope, 127 mm | Meridian 429 | telescope, planets
  Short, sealed and sharp: made for planets and for narrow balconies.
item: Solar system mobile of brass wire | Noctis 58 | planets, gift
  The sizes are wrong, the periods are nearly right, the shadows are lovely.
item: Moon map, folded, 1 : 5 million | Footpath Press 16.95 | moon, map
  Every crater that a small telescope shows, mirrored on the back for refractors.
video: Stacking a thousand frames of Jupiter | 17 | camera, planets, skills
  From a shimmering blur to cloud bands, in five steps.
video: A transit of Io, from first touch to last | 14 | planets, telescope
  A small black shadow takes two hours. We show it in four minutes, then explain it in ten.
video: Saturn through nine telescopes | 16 | planets, telescope, tasting
  From a pair of binoculars to an observatory dome, on the same night.

## deep-sky
article: Andromeda with bare eyes: the farthest thing you can see | 5 | galaxies, night, beginner
  Two and a half million years old, a smudge above a corner, and worth the stiff neck.
article: What a nebula looks like when nobody colours it in | 7 | nebulae, telescope, camera
  Grey, soft and breathing. We compare the photograph with the view.
article: Globular clusters, the oldest crowds in the galaxy | 8 | stars, science
  Half a million suns in a ball, all older than almost everything else.
article: A winter marathon: forty objects before dawn | 10 | night, winter, planning
  Thermos, list, ladder. Start in the west and do not sit down.
article: Photographier la Voie lactée sans suivi | 8 | camera, night, skills | fr
  Un grand-angle, quinze secondes, une lampe rouge et un avant-plan qui ne bouge pas.
item: Tracking mount for cameras | Meridian 359 | camera, night
  Follows the sky for four minutes without a trail. Runs all night on one charge.
item: Nebula filter, two inch | Caldera 109 | nebulae, telescope
  Takes away the street lamps and leaves the veil.
item: Binoculars 15 x 70 with tripod bracket | Meridian 169 | binoculars, galaxies
  Two eyes see fainter things than one. Mount them, or your pulse will show.
item: Deep-sky observing list, ring-bound | Footpath Press 24.50 | galaxies, planning, map
  Two hundred objects by season, each with a finder and an honest word.
item: Heated lens band, 30 cm | Noctis 27.95 | camera, winter
  Keeps the dew off for a night and the mood up till morning.
video: Photographing a nebula from a car park | 18 | camera, nebulae, light-pollution
  Street lamps on one side, three hours of exposures on the other.
video: Forty galaxies before breakfast | 26 | galaxies, night, story
  Two friends, one list, frozen moustaches.
video: Milchstraße über der Alm: eine Zeitrafferaufnahme | 8 | camera, night, huts | de
  Sechs Stunden in vier Minuten, und wie sie entstanden sind.

## spaceflight
article: The computer that landed with four kilobytes to spare | 10 | spaceflight, history, science
  It was overloaded, it said so, and it did the right thing.
article: Sleeping in orbit: what astronauts write in their diaries | 7 | spaceflight, sleep, interview
  Sixteen dawns a day, a bag on the wall, and a fan that one learns to love.
article: How to spot the space station from a bus stop | 4 | spaceflight, city, beginner
  Six minutes, west to east, brighter than anything. Wave, if you like.
article: What happens to old satellites | 8 | spaceflight, science
  Some burn, some drift, some are parked in a graveyard above all the others.
item: Model rocket with parachute, starter set | Noctis 39.95 | spaceflight, gift, beginner
  Up to two hundred metres and back again, if you mind the trees.
item: Paper models of six probes | Footpath Press 17.50 | spaceflight, gift
  Scissors, glue, two evenings. The antenna of the third is a test of character.
item: Mission patches, embroidered, box of eight | Noctis 29.95 | spaceflight, history, gift
  Eight journeys that worked, and one that taught more.
item: Satellite receiver kit with antenna | Meridian 94 | spaceflight, radio
  Catch a weather picture straight from orbit with some wire and a laptop.
video: Receiving a weather satellite with a coat hanger | 13 | spaceflight, radio, skills
  Bend, aim, listen, wait. Then watch Europe appear line by line.
video: Four kilobytes over the Moon | 31 | spaceflight, history, moon
  The programmers tell the last four minutes of the landing as they lived them.
video: A rocket that lands: the control problem on a broomstick | 11 | spaceflight, science
  Balance a broom on your palm. You have solved the easy half.
`,
};
