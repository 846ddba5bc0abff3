/**
 * Tests of the console in a real browser, on the demo, with one service for all stories: pages, sessions, rule sets and searches.
 * The other half runs in parallel (console-work.test.ts).
 */

import test from 'ava';
import { testConfigurations } from './stories/configurations.ts';
import { testFeel } from './stories/feel.ts';
import { testMerchandising } from './stories/merchandising.ts';
import { testPages } from './stories/pages.ts';
import { testPictures } from './stories/pictures.ts';
import { testPlayground } from './stories/playground.ts';
import { testSigningIn } from './stories/signing-in.ts';
import { testSteering } from './stories/steering.ts';
import { testTeam } from './stories/team.ts';
import { createFixture } from './support/fixture.ts';

const fixture = createFixture({ trains: true });

test.before(() => fixture.start());

test.afterEach.always((t) => fixture.report(t));

test.after.always(() => fixture.stop());

testPages(fixture);
testFeel(fixture);
testPictures(fixture);
testSigningIn(fixture);
testPlayground(fixture);
testMerchandising(fixture);
testSteering(fixture);
testTeam(fixture);
testConfigurations(fixture);
