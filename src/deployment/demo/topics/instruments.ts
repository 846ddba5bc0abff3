import type { Topic } from './material.ts';

/** Making music: synthesizers, guitars, recording and practice. */
export const instruments: Topic = {
  category: 'music/making',
  authors: ['Ada Thornbury', 'Felix Brandt', 'Noor Visser'],
  material: `
## synthesizers
article: Subtractive synthesis with one knob at a time | 9 | synth, beginner, science
  Start with a buzz, take away what you do not need, and stop earlier than you want to.
article: A modular system small enough to finish a song | 8 | modular, synth, budget
  Six modules, eleven cables, one rule: nothing new until the record is done.
article: Why detuned oscillators sound like a choir | 6 | synth, science
  Two tones, three cents apart, and the slow beat that our ears take for many voices.
article: Programming a bell: FM for people who like arithmetic | 10 | synth, science, skills
  Ratios in, metal out. A worked example from a plain sine to a church tower.
article: Ein Synthesizer aus dem Sperrmüll lernt wieder sprechen | 9 | synth, repair, story | de
  Kalte Lötstellen, eine ausgelaufene Batterie und am dritten Abend ein tiefes C.
item: Monophonic synthesizer with 25 keys | Stroom 349 | synth, beginner
  One oscillator, one filter, one knob for each function. You will learn all of them.
item: Semi-modular voice with patch points | Stroom 529 | modular, synth
  Works without a cable and gets strange with twenty.
item: Patch cables, ten colours, 60 cm | Patchbay 19.95 | modular
  Soft silicone that lies flat; a colour for each kind of signal.
item: Four-track sequencer with big buttons | Stroom 289 | synth, drums
  Sixty-four steps, probability on each, and a swing that swings.
item: Eurorack case of ash, 84 HP | Patchbay 159 | modular, furniture
  Quiet power, a slight slope, and handles that you can carry to a gig.
video: From buzz to bass in eleven minutes | 11 | synth, beginner, skills
  Filter, envelope, a touch of drive. All on one small machine.
video: Patching a storm: modular weather from scratch | 28 | modular, ambient, synth
  Wind first, then rain, then a very slow thunder.
video: Repairing a keyboard that fell off a van | 19 | synth, repair, story
  Eleven broken keys, one cracked board, a gig on Friday.

## guitar
article: Changing strings without changing the tuning of your mood | 5 | guitar, repair, beginner
  One at a time, three turns on the post, stretch, tune, stretch, tea.
article: Five open tunings and what they are good for | 8 | guitar, skills
  One for slides, one for drones, one for rain, and two that you will not leave again.
article: The luthier who plants a spruce for every guitar | 10 | guitar, interview, nature
  The trees will be ready in a hundred and twenty years. So will the waiting list, she says.
article: Practise slowly, then slower: a month with a metronome | 7 | guitar, practice, skills
  Forty beats a minute is embarrassing for a week and then it is music.
article: Gitaar leren op je vijftigste: een logboek | 8 | guitar, beginner, story | nl
  Week één: blaren. Week negen: een liedje dat de kinderen herkennen.
item: Parlour guitar with solid spruce top | Halyard 429 | guitar
  A small body with a clear voice, made for sofas and night trains.
item: Phosphor bronze strings, light, three sets | Halyard 28.50 | guitar
  Wrapped and sealed one by one. They keep their shine for a month of evenings.
item: Clip-on tuner with dark display | Halyard 17.95 | guitar, concert
  Reads vibration, so the drummer may keep talking.
item: Travel guitar with detachable neck | Halyard 379 | guitar, train
  Fits under a seat, goes together in a minute and stays in tune.
item: Songs for slow fingers: 24 studies | Footpath Press 19.95 | guitar, practice, gift
  Two pages each, from open strings to a small fugue.
video: Open D in ten minutes | 10 | guitar, skills, beginner
  Two shapes, one slide, and an old song that needs nothing else.
video: Building a parlour guitar in ninety days | 36 | guitar, story, skills
  Plank to first chord, with one mistake that made it better.
video: Left hand, lazy hand: economy on the fretboard | 9 | guitar, practice
  How little pressure is enough? Try less.

## recording
article: A vocal booth made of two duvets | 6 | recording, budget, voice
  Hang them behind the singer, not in front. Then record the room for a minute and listen.
article: One microphone, one room, one take | 8 | recording, microphone, band
  Where to stand so that the loud ones are far and the shy ones are near.
article: What compression does, drawn as a hand on a fader | 7 | recording, science, skills
  Fast hand, slow hand, nervous hand. You will never unhear it.
article: Mixing at whisper level | 6 | recording, skills, night
  The neighbours sleep, the balance gets better, and the bass tells the truth in the morning.
article: Enregistrer un chœur dans une chapelle froide | 9 | recording, voice, microphone | fr
  Deux micros, sept secondes de réverbération et des choristes en gants.
item: Large-diaphragm microphone with shock mount | Patchbay 219 | microphone, voice
  Flattering on voices, honest on guitars, heavy enough for a proper stand.
item: Audio interface, two in, four out | Patchbay 179 | recording
  Clean gain, a real volume knob, and one cable to the computer.
item: Field recorder with stereo pair | Stroom 239 | recording, nature
  Starts in a second and forgives a gust of wind. Good for trains, birds and rehearsals.
item: Pop screen of woven steel | Patchbay 34.95 | microphone, voice
  Stops a p, lets an s through, wipes clean.
item: Studio monitors, five inch, pair | Linden Audio 398 | recording, loudspeakers
  Unkind to bad mixes, which is what you pay them for.
video: Recording a band with one microphone | 15 | recording, microphone, band
  We move the drummer four times and the microphone once.
video: Compression you can hear | 12 | recording, science, skills
  The same vocal through nine settings, each with its drawing.
video: Ein Lied, ein Raum, ein Nachmittag | 24 | recording, band, story | de
  Von der ersten Aufnahme bis zum letzten Mix, ohne Schnitt im Ton.

## theory
article: The circle of fifths is a map, not a rule | 8 | theory, beginner
  Neighbours get along, opposites argue. Take a walk and write down what you like.
article: Why the minor third sounds sad, perhaps | 7 | theory, science, history
  Speech, habit or physics? Four explanations, and a village where it sounds happy.
article: Counting in seven without a calculator | 6 | theory, drums, skills
  Say two words of two syllables and one of three. You are already playing.
article: Songwriting with three chords and a deadline | 7 | theory, practice, story
  Set a timer for forty minutes. Nobody needs to hear it, and that is why it works.
item: Metronome of pear wood | Halyard 64 | practice, gift
  Wound by hand, exact to a hair, and pleasant enough to leave on.
item: Manuscript paper, spiral bound, 80 pages | Footpath Press 9.95 | theory, practice
  Twelve staves, a paper that takes pencil and eraser, and a margin for doubt.
item: Ear training cards, 120 intervals and chords | Footpath Press 23.50 | theory, practice, gift
  Sing the front, check the back. Ten a day on the tram.
item: Practice pad with two surfaces | Halyard 36.95 | drums, practice
  One side rebounds, the other makes you work. Neither wakes the house.
video: Seven eight, explained with a rolling pin | 8 | theory, drums, skills
  A kitchen, a baker's hands, and a rhythm that suddenly makes sense.
video: A walk around the circle of fifths | 13 | theory, beginner
  Twelve keys, one melody, and the moment where you come home.
video: Writing a song before the kettle boils | 9 | theory, practice, story
  Three chords, four minutes, one decent line.
`,
};
