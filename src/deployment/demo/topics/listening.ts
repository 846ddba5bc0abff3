import type { Topic } from './material.ts';

/** Listening to music: records, equipment, concerts and their history. */
export const listening: Topic = {
  category: 'music/listening',
  authors: ['Delphine Roux', 'Gus Anderley', 'Marijn Post'],
  material: `
## vinyl
article: Cleaning a record with water and good manners | 6 | vinyl, repair, beginner
  A soft brush, distilled water, a drop of soap and no tissue, ever.
article: How a lacquer is cut, one groove at a time | 10 | vinyl, history, interview
  The engineer looks through a microscope and stops when the bass gets too proud.
article: The shelf that holds eight hundred records and one cat | 7 | vinyl, furniture, story
  Thirty-three by thirty-three by strong. Plans for a carpenter of modest talent.
article: Second-hand crates: what the sleeve will not tell you | 8 | vinyl, budget, skills
  Tilt it under a lamp, look at the run-out, smell the cardboard. Then offer half.
article: Schallplatten digitalisieren, ohne den Klang zu verlieren | 9 | vinyl, skills, turntable | de
  Pegel, Nadel, Geduld: ein Nachmittag mit zwanzig Platten und einem Laptop.
item: Belt-drive turntable in walnut | Linden Audio 449 | turntable, vinyl
  A heavy platter, a straight arm, and nothing to configure but the counterweight.
item: Record brush of goat hair | Groovehouse 22.95 | vinyl
  Takes the dust off before the needle does.
item: Moving-magnet cartridge, elliptical | Linden Audio 99 | turntable, vinyl
  Forgiving of worn pressings; opens up the top of good ones.
item: Archive sleeves, 100 pieces, acid-free | Groovehouse 24.50 | vinyl
  Slide in without static and stay clear for decades.
item: Record crate of birch plywood | Groovehouse 59 | vinyl, furniture
  Carries eighty records and stacks three high without wobble.
video: Setting up a turntable with a coin and a sheet of paper | 13 | turntable, vinyl, beginner
  Level, weight, overhang. Then sit down and listen to the whole side.
video: A lacquer being cut, in real time | 21 | vinyl, history
  One side, one take, and a thread of swarf that must not break.
video: Het platenwinkeltje achter het station | 11 | vinyl, interview, city | nl
  De eigenaar weet wat u zoekt voordat u het zelf weet, en zet het alvast op.

## jazz
article: The year the saxophone learned to whisper | 9 | jazz, history, saxophone
  Three recordings made in one cold studio changed how a horn could sound.
article: A jazz quartet without a leader | 7 | jazz, interview, band
  Who counts in? Nobody. They breathe together, and sometimes they argue.
article: Ten ballads for after midnight | 6 | jazz, playlist, night
  Brushes on the snare, a bass that leaves room, and one song that always ends too soon.
article: How to listen to a drum solo | 8 | jazz, drums, skills
  Hum the tune while the drummer plays. Suddenly the noise has rooms and corridors.
article: Le club de jazz sous la boulangerie | 7 | jazz, city, story | fr
  À deux heures du matin, le pain et la contrebasse montent par le même escalier.
item: Closed-back headphones, wool pads | Linden Audio 189 | headphones
  A warm middle, honest bass, and pads that can be washed like a jumper.
item: Blue rooms: a quartet live, double LP | Groovehouse 34.95 | jazz, vinyl
  Two sets on one evening, with the glasses and the applause left in.
item: Tenor ballads, remastered mono LP | Groovehouse 27.95 | jazz, saxophone, vinyl
  Cut from the tapes at half speed, as quiet as a record can be.
item: A listener's guide to swing | Footpath Press 21.50 | jazz, history, gift
  Sixty recordings in the order in which they will make sense to you.
item: Small valve amplifier, 2 x 8 watts | Linden Audio 599 | amplifier, jazz
  Glows, hums a little, and makes a trio sound like a trio in the room.
video: Four musicians count in without a word | 14 | jazz, band, interview
  A rehearsal filmed from the middle of the circle.
video: Brushes: the sound of a snare being persuaded | 10 | jazz, drums, skills
  A drummer shows circles, sweeps and taps on a sheet of sandpaper.
video: One standard, seven decades | 23 | jazz, history, playlist
  The same thirty-two bars, from parlour piano to drum machine.

## classical
article: The cello suites, and why everyone starts with the first | 8 | classical, cello, beginner
  It is not the easiest. It is the one in which the instrument explains itself.
article: What the conductor's left hand is for | 6 | classical, orchestra, interview
  The right one beats time. The left one asks for things.
article: Going to a concert in a coat you can sit on | 5 | classical, concert, budget
  Cheap seats with the best sound, and when you may clap. In short: when others do.
article: A string quartet rehearses one bar for forty minutes | 9 | classical, story, band
  We counted: thirty-one times, four opinions, and a silence at the end.
article: Bach op een dorpsorgel, met de ramen open | 6 | classical, organ, summer | nl
  Buiten rijdt een trekker voorbij, precies in de maat.
item: Cello suites on gut strings, triple LP | Groovehouse 54.95 | classical, cello, vinyl
  Recorded in a barn with good wood and no heating.
item: Bookshelf loudspeakers in oak, pair | Linden Audio 529 | loudspeakers
  Small enough for a shelf, large enough for a cello, not for an organ.
item: Pocket score collection, ten symphonies | Footpath Press 48 | classical, gift, orchestra
  Read along on the train. Nobody will talk to you.
item: Streaming player with balanced outputs | Linden Audio 379 | amplifier
  Plays what you own and what you rent, gapless, and then gets out of the way.
item: Loudspeaker stands, sand-filled, pair | Linden Audio 149 | loudspeakers, furniture
  Sixty centimetres high and too heavy to trip over.
video: Gut, steel, nylon: one cello, three sets of strings | 12 | classical, cello, science
  The same suite, the same player, and a difference that even the cat heard.
video: Backstage with the orchestra librarian | 16 | classical, orchestra, interview
  Ninety folders on ninety stands, and a pencil behind each ear.
video: Warum das Orchester auf die Oboe wartet | 6 | classical, orchestra, science | de
  Ein Ton, vier Sekunden, hundert Musiker: eine kleine Geschichte vom Stimmen.

## electronic
article: Ambient records for rooms with large windows | 6 | electronic, ambient, playlist
  Nine albums that change the weather indoors.
article: The drum machine that nobody wanted | 9 | electronic, history, drums
  It failed in the shops, went for small change, and then turned up on every record.
article: Night bus music: an interview with a producer who never sleeps | 8 | electronic, interview, night
  She records the doors, the brakes and the ticket machine, and tunes them to a chord.
article: Dancing at noon: the rise of the lunch-hour party | 5 | electronic, city, party
  Ninety minutes, daylight, water at the bar, back at the desk by two.
item: Slow weather: ambient works, LP | Groovehouse 26.95 | electronic, ambient, vinyl
  Six long pieces for tape, piano and a window left open.
item: Open headphones for long evenings | Linden Audio 259 | headphones, electronic
  Light as a hat, wide as a field. Everyone near you will hear them, too.
item: Portable speaker with leather strap | Linden Audio 139 | loudspeakers, summer
  Twelve hours on a charge and enough bass for a kitchen.
item: Posters of the night clubs, 1979 to 1991 | Footpath Press 32 | electronic, history, gift
  Screen prints from nine cities, reproduced at full size.
video: An hour of rain and slow chords | 60 | electronic, ambient, sleep
  One take, one modular system, one open skylight.
video: The drum machine that came back | 25 | electronic, history, drums
  From the bargain bin to the museum, told by those who bought it in between.
video: How a club sound system is tuned before the doors open | 13 | electronic, science, city
  Pink noise, a tape measure, and a man who walks in circles.
`,
};
