/** Irregular plurals by language, folded: each form is followed by its singular. */

const tables: Record<string, string> = {
  en:
    'mice mouse dormice dormouse lice louse feet foot teeth tooth geese goose oxen ox children child men man ' +
    'women woman leaves leaf loaves loaf wolves wolf halves half calves calf knives knife wives wife ' +
    'shelves shelf scarves scarf thieves thief elves elf selves self hooves hoof dwarves dwarf sheaves sheaf ' +
    'wharves wharf lenses lens irises iris canvases canvas indices index vertices vertex matrices matrix ' +
    'appendices appendix cacti cactus fungi fungus radii radius foci focus octopi octopus syllabi syllabus ' +
    'criteria criterion phenomena phenomenon bacteria bacterium analyses analysis crises crisis oases oasis ' +
    'theses thesis larvae larva antennae antenna formulae formula algae alga gateaux gateau plateaux plateau ' +
    'bureaux bureau quizzes quiz spectra spectrum aquaria aquarium axes axe',
  de:
    'eier ei eiern ei tees tee ole ol olen ol busse bus bussen bus kakteen kaktus museen museum alben album ' +
    'globen globus atlanten atlas lexika lexikon pizzen pizza firmen firma konten konto villen villa ' +
    'themen thema risiken risiko kommata komma pronomina pronomen zyklen zyklus rhythmen rhythmus',
  nl:
    'steden stad schepen schip eieren ei bladeren blad kalveren kalf lammeren lam runderen rund leden lid ' +
    'koeien koe ' +
    'raderen rad liederen lied goederen goed hoenderen hoen spellen spel musea museum',
  fr:
    'yeux oeil travaux travail vitraux vitrail coraux corail emaux email baux bail cieux ciel aieux aieul ' +
    'messieurs monsieur mesdames madame bals bal carnavals carnaval festivals festival',
  es: 'regimenes regimen especimenes especimen caracteres caracter bueyes buey leyes ley reyes rey',
  it: 'uova uovo mani mano dita dito uomini uom paia paio lenzuola lenzuolo buoi bue ali ala',
  sv:
    'skor sko skorna sko moss mus gass gas hander hand fotter fot tander tand stader stad rotter rot notter not ' +
    'bocker bok bockerna bok soner son dottrar dotter broder bror ogon oga oron ora',
  da:
    'born barn bornene barn maend mand maendene mand fodder fod haender hand taender tand boger bog ' +
    'gaes gas oejne oje ojne oje brodre bror taeer ta',
  no:
    'boker bok fotter fot hender hand tenner tann menn mann sykler sykkel nokler nokkel stovler stovel ' +
    'mobler mobel gafler gaffel gjess gas brodre bror traer tre klaer klede',
  fi: 'vedet vesi veden vesi vetta vesi kadet kasi kaden kasi yot yo tyot tyo suot suo',
  pl: 'dzieci dziecko ludzie czlowiek oczy oko uszy ucho rece reka',
  ru: 'стулья стул стульев стул братья брат деревья дерево деревьев дерево уши ухо',
  cs: 'deti dite lide clovek oci oko usi ucho ruce ruka',
};

const formsByLanguage: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(tables).map(([language, table]) => {
    const words = table.split(' ');
    return [language, new Map(words.flatMap((form, i) => (i % 2 === 0 ? [[form, words[i + 1]]] : [])))];
  }),
);

const noForms: ReadonlyMap<string, string> = new Map();

/** Returns singulars by their irregular plurals, in a two-letter language. */
export function irregularForms(language: string): ReadonlyMap<string, string> {
  return formsByLanguage.get(language) ?? noForms;
}
