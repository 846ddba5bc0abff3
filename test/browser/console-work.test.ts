/**
 * The other half of the console (console.test.ts): people and their data, the catalogue, figures, and what clients may do.
 */

import test from 'ava';
import { tellAccess } from './stories/access.ts';
import { tellAudiences } from './stories/audiences.ts';
import { tellBatches } from './stories/batches.ts';
import { tellCatalogue } from './stories/catalogue.ts';
import { tellEvents } from './stories/events.ts';
import { tellFailing } from './stories/failing.ts';
import { tellObserving } from './stories/observing.ts';
import { tellPeople } from './stories/people.ts';
import { tellRights } from './stories/rights.ts';
import { createHouse } from './support/house.ts';

const house = createHouse({ trains: false });

test.before(() => house.start());

test.afterEach.always((t) => house.report(t));

test.after.always(() => house.stop());

tellRights(house);
tellBatches(house);
tellPeople(house);
tellAccess(house);
tellEvents(house);
tellAudiences(house);
tellCatalogue(house);
tellObserving(house);
tellFailing(house);
