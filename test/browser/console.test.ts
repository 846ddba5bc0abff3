/**
 * The console as people use it, in a real browser, on the demo, from a fresh service that all stories share: its pages, and what
 * shapes lists and searches. The other half is told beside it, so that neither takes as long as both (console-work.test.ts).
 */

import test from 'ava';
import { tellConfigurations } from './stories/configurations.ts';
import { tellPages } from './stories/pages.ts';
import { tellPictures } from './stories/pictures.ts';
import { tellPlayground } from './stories/playground.ts';
import { tellSigningIn } from './stories/signing-in.ts';
import { tellSteering } from './stories/steering.ts';
import { createHouse } from './support/house.ts';

const house = createHouse({ trains: true });

test.before(() => house.start());

test.afterEach.always((t) => house.report(t));

test.after.always(() => house.stop());

tellPages(house);
tellPictures(house);
tellSigningIn(house);
tellPlayground(house);
tellSteering(house);
tellConfigurations(house);
