/** The console as people use it: in a real browser, on the demo, from a fresh service that all stories share. */

import test from 'ava';
import { tellAccess } from './stories/access.ts';
import { tellAudiences } from './stories/audiences.ts';
import { tellBatches } from './stories/batches.ts';
import { tellCatalogue } from './stories/catalogue.ts';
import { tellConfigurations } from './stories/configurations.ts';
import { tellEvents } from './stories/events.ts';
import { tellFailing } from './stories/failing.ts';
import { tellObserving } from './stories/observing.ts';
import { tellPages } from './stories/pages.ts';
import { tellPeople } from './stories/people.ts';
import { tellPictures } from './stories/pictures.ts';
import { tellPlayground } from './stories/playground.ts';
import { tellRights } from './stories/rights.ts';
import { tellSigningIn } from './stories/signing-in.ts';
import { tellSteering } from './stories/steering.ts';
import { createHouse } from './support/house.ts';

const house = createHouse();

test.before(() => house.start());

test.afterEach.always((t) => house.report(t));

test.after.always(() => house.stop());

tellPages(house);
tellPictures(house);
tellSigningIn(house);
tellRights(house);
tellPlayground(house);
tellSteering(house);
tellConfigurations(house);
tellBatches(house);
tellPeople(house);
tellAccess(house);
tellEvents(house);
tellAudiences(house);
tellCatalogue(house);
tellObserving(house);
tellFailing(house);
