/**
 * The other half of the console's tests (console.test.ts): people, catalogue, metrics, access and failures.
 */

import test from 'ava';
import { testAccess } from './stories/access.ts';
import { testActivity } from './stories/activity.ts';
import { testAudiences } from './stories/audiences.ts';
import { testBatches } from './stories/batches.ts';
import { testCatalogue } from './stories/catalogue.ts';
import { testCatalogueViews } from './stories/catalogue-views.ts';
import { testDrafts } from './stories/drafts.ts';
import { testEvents } from './stories/events.ts';
import { testExperiments } from './stories/experiments.ts';
import { testFailing } from './stories/failing.ts';
import { testLanguages } from './stories/languages.ts';
import { testObserving } from './stories/observing.ts';
import { testPeople } from './stories/people.ts';
import { testPerformance } from './stories/performance.ts';
import { testRights } from './stories/rights.ts';
import { testStoredPages } from './stories/stored-pages.ts';
import { testWebhooks } from './stories/webhooks.ts';
import { createFixture } from './support/fixture.ts';

const fixture = createFixture({ trains: false });

test.before(() => fixture.start());

test.afterEach.always((t) => fixture.report(t));

test.after.always(() => fixture.stop());

testRights(fixture);
testBatches(fixture);
testPeople(fixture);
testAccess(fixture);
testEvents(fixture);
testAudiences(fixture);
testCatalogue(fixture);
testCatalogueViews(fixture);
testObserving(fixture);
testPerformance(fixture);
testActivity(fixture);
testWebhooks(fixture);
testExperiments(fixture);
testDrafts(fixture);
testStoredPages(fixture);
testLanguages(fixture);
testFailing(fixture);
