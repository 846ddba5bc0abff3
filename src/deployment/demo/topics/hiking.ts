import type { Topic } from './material.ts';

/** Walking, finding the way, and sleeping outside. */
export const hiking: Topic = {
  category: 'outdoor/hiking',
  authors: ['Ines Maalouf', 'Tom Hadley', 'Sietske de Boer'],
  material: `
## navigation
article: Reading contour lines before the fog comes in | 8 | map, compass, skills
  Five slopes drawn twice, once as they look and once as the map shows them. Learn the pattern at the kitchen
  table, so that you recognise it on the hill.
article: When the phone dies: three ways to find north | 6 | compass, skills, safety
  A watch, a stick and a patch of moss walk into a forest. Two of them are useful.
article: How a waymark gets its colour | 7 | history, map, walking
  A day with the volunteers who repaint four hundred kilometres of stripes every spring.
article: Planning a two-day ridge walk, hour by hour | 11 | planning, weekend, map
  Distance is only half of it. We plan daylight, water and the last bus on one sheet of paper.
article: Wandelen op kompas: een eerste tocht over de hei | 9 | compass, beginner, walking | nl
  Zonder paadje en zonder scherm van de ene grafheuvel naar de andere. Een rustige oefening voor een
  herfstmiddag.
item: Baseplate compass with slope gauge | Northvale 34.95 | compass, safety
  A clear baseplate, a needle that settles in two seconds and a gauge for avalanche slopes on the back.
item: Waterproof map case, folded A4 | Tarnhus 18.50 | map, rain
  Welded seams and a soft window that stays readable at five degrees below zero.
item: Pocket altimeter with storm alarm | Northvale 89 | weather, safety
  Shows height, pressure and the trend of the last six hours, and beeps before the weather turns.
item: Ridge walks of the north: 40 maps in a box | Footpath Press 42 | map, planning, gift
  Forty loose cards, each with a route on one side and what you will see on the other.
item: Reflective trail tape, 25 metres | Fernback 9.95 | safety, night
  Marks a tent line, a turn-off or a sleeping child at night. Comes off without leaving glue.
video: Taking a bearing, explained on a football pitch | 9 | compass, skills, beginner
  No hills needed: four corner flags and one compass make the method obvious.
video: Lost on purpose: finding our way out of a plantation | 24 | map, skills
  Two hikers, one map without names, and a forest where every track looks the same.
video: What the contour lines did not tell us | 16 | map, walking, story
  A short day that became a long one, and the twenty metres between two lines that caused it.

## trails
article: The long way round: a week on the old salt road | 14 | walking, story, history
  Mules carried salt over this pass for six centuries. We carried less and complained more.
article: Twelve autumn walks that start at a railway station | 12 | walking, train, autumn
  All between nine and eighteen kilometres, all with soup at the end.
article: Walking the coast in winter, when nobody else does | 8 | walking, winter, coast
  Hard sand, low sun and closed cafés. Bring a flask and check the tide twice.
article: Why your knees hurt going down | 7 | health, walking, skills
  A physiotherapist walks downhill with us and changes two things about our stride.
article: Der Höhenweg im Regen: ein Tagebuch in drei Hütten | 10 | walking, rain, story | de
  Drei Tage Wolken, sehr viel Suppe und am letzten Morgen ein Blick bis zum See.
item: Trekking poles with cork grips, pair | Northvale 74.95 | walking, health
  Three aluminium sections, a cork grip that dries fast and tips that can be replaced without swearing.
item: Merino walking socks, mid weight | Fernback 19.95 | wool, walking
  Knitted in one piece, with a flat toe seam and a heel that still has a shape after a hundred washes.
item: Leather trail boots, resoleable | Tarnhus 229 | boots, walking, repair
  Stitched rather than glued, so that any cobbler can give them a second and a third sole.
item: Low trail shoes for dry paths | Fernback 119 | boots, summer, walking
  A light shoe for forest tracks and city edges, with a sole that shrugs off gravel.
item: Walking journal with squared pages | Footpath Press 14.50 | gift, story
  Room for a route, a sketch and the weather. Lies flat, fits a jacket pocket.
video: Three hundred steps a minute: how fell runners descend | 13 | running, skills
  Slow motion shows what their eyes, arms and ankles do that yours do not.
video: A week on the salt road | 38 | walking, story, history
  Seven days, four passes and a mule who had opinions.
video: Tying boots for steep ground | 5 | boots, skills, beginner
  One knot for going up, another for going down, and a fix for a sore instep.

## camping
article: A tent pitched in the rain stays dry if you do this first | 6 | tent, rain, skills
  The order matters more than the tent. We timed five ways to do it under a garden hose.
article: The one-pot trail dinner that survived three deserts | 7 | stove, recipe, food
  Lentils, sun-dried tomato and a secret that weighs eleven grams.
article: Sleeping warm at minus six with an autumn bag | 9 | sleep, winter, skills
  Food, a hot bottle and the ground beneath you count for more than the label.
article: Bivouac etiquette, or how to leave a meadow as you found it | 5 | tent, nature
  Arrive late, leave early, and six other rules that farmers wish you knew.
article: Packing a rucksack so that it carries itself | 8 | rucksack, skills, beginner
  Heavy things high and close, soft things low, and a reason for every pocket.
item: Two-person ridge tent, 1.9 kg | Tarnhus 389 | tent, rain
  Pitches outer first, so the inner stays dry, and stands up to a night of wind with six pegs.
item: Rucksack 45 litres with lifted frame | Northvale 169 | rucksack, walking
  A light frame moves the weight to the hips; the lid becomes a day bag for the summit.
item: Down sleeping bag, comfort minus two | Fernback 249 | sleep, winter
  Traceable down, a collar that seals and a zip guard that does what zip guards promise.
item: Titanium pot for one and a half | Tarnhus 39.95 | stove, food
  Weighs 108 grams, holds a litre and nests around a gas can.
item: Spirit stove with windshield | Northvale 46 | stove, winter
  Burns at any height and makes no noise, which is the best thing one can say of a stove.
video: Pitching a ridge tent alone in a gale | 11 | tent, skills, wind
  One person, six pegs, force seven. Filmed in a single take.
video: The gear we stopped carrying | 18 | rucksack, planning
  Four walkers empty their bags and explain what stays at home now.
video: Porridge, coffee, go: breakfast at 1,900 metres | 7 | stove, food, recipe
  A quiet film about a slow morning, with the recipe at the end.

## mountains
article: What a mountain hut warden does all winter | 10 | interview, winter, huts
  Snow to clear, a radio to answer and one guest in seven weeks. A conversation by telephone.
article: Thunder at two o'clock: planning around summer storms | 7 | weather, safety, planning
  Why they come in the afternoon, and how early is early enough.
article: First scramble: from path to rock without a rope | 9 | climbing, skills, safety
  Three points of contact, one point of return. Where a walk ends and climbing begins.
article: Glacier crossings for people who have never worn crampons | 12 | climbing, winter, beginner
  What a guide checks, what you carry and why everyone walks in the same footprints.
item: Ten-point crampons for walkers | Northvale 109 | winter, climbing
  Strap-on steel for stiff boots, with plates that keep the snow from balling.
item: Hooded wind shell, 190 grams | Fernback 129 | wind, weather
  Packs into its own pocket and takes the edge off a summit in any month.
item: Head torch with red light, rechargeable | Tarnhus 54.95 | night, safety
  Four hundred lumens for the path and a red lamp for the hut dormitory or the night sky.
item: First aid roll for two, refillable | Northvale 32.50 | safety, health
  Unrolls flat on a rock, with blisters and sprains in front where you need them.
video: One night in the highest hut of the valley | 27 | huts, story, night
  Bad weather outside, eleven strangers at one table inside.
video: Crampons: first steps on an easy slope | 12 | winter, climbing, beginner
  Flat feet, wide stance, no hurry. A guide teaches a class of nervous walkers.
video: Une journée avec la gardienne du refuge | 21 | huts, interview | fr
  Du pain à quatre heures du matin, la météo à dix-neuf heures, et la montagne entre les deux.
`,
};
