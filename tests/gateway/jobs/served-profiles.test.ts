import {mkdir, rm} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {homePaths} from '../../../source/config/home-paths.ts';
import {loadProfiles} from '../../../source/config/profiles.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createServedProfiles} from '../../../source/gateway/jobs/served-profiles.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('a home whose pid file could not be written can be taken later', async () => {
	await using home = await temporaryHome();
	const environment = {SVC_HOME: home.path};
	const paths = homePaths({environment});
	const work = homePaths({environment, profile: 'work'});
	await mkdir(work.home, {recursive: true});
	const profiles = loadProfiles(paths, {environment, merged: environment, multiplex: true});
	const lines: string[] = [];
	using served = createServedProfiles({
		clock: createFakeClock(),
		config: () => ({paths, profiles}),
		log: {...silentLogger, warn: line => lines.push(line)},
	});
	// A disk that is full, a folder that may not be written to.
	await mkdir(work.pidFile, {recursive: true});
	expect(served.current().map(({profile}) => profile)).toEqual(['default']);
	await rm(work.pidFile, {recursive: true});
	expect(served.current().map(({profile}) => profile)).toEqual(['default', 'work']);
	expect(lines).toHaveLength(1);
});
