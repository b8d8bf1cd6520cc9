import {expect, test} from 'vitest';
import {prepareFirstRun} from '../../../source/cli/start/first-run.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('of two that start a home at once, one has the first start; its files are written once', async () => {
	await using home = await temporaryHome();
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	const start = async () => prepareFirstRun(paths, {clock: systemClock});

	const firsts = await Promise.all([start(), start()]);

	expect(firsts.filter(first => first !== undefined)).toEqual([{route: 'github'}]);
	expect(Object.keys(JSON.parse(await home.read('webhook_subscriptions.json')))).toEqual([
		'github',
	]);
	expect(await home.read('config.yaml')).toContain('host: 127.0.0.1');
	expect(await start()).toBeUndefined();
});
