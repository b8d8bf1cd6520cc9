import {mkdirSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {configMarks, differingKeys} from '../../../source/gateway/cluster/config-marks.ts';
import {configOf, createTemporaryHome} from '../../config/temporary-home.ts';

const store = 'postgres://svc:a-password@db/svc';

function marksOf(config: object, {script = 'exit 0', store: at = store} = {}) {
	using home = createTemporaryHome();
	mkdirSync(home.paths.scripts, {recursive: true});
	writeFileSync(join(home.paths.scripts, 'check.sh'), script);
	const {gateway, ...rest} = config as {gateway?: object};
	return configMarks(
		configOf(home.load({config: JSON.stringify({...rest, gateway: {store: at, ...gateway}})})),
	);
}

const receiver = (settings: object) => ({platforms: {webhook: settings}});

test('"everything but ports, hosts, gateway.node": a difference names its key', () => {
	const differences = (some: object, others: object) =>
		differingKeys(marksOf(some), marksOf(others));
	expect(
		differences(
			{...receiver({port: 1, host: '127.0.0.1'}), gateway: {node: 'east'}, api: {port: 5}},
			{...receiver({extra: {port: 2}}), gateway: {node: 'west'}, api: {port: 6}, runs: {}},
		),
	).toEqual([]);
	expect(differences({runs: {max_steps: 7}}, {runs: {max_steps: 8}})).toEqual(['runs.max_steps']);
	const route = (prompt: string) => ({extra: {routes: {push: {prompt}}}});
	expect(differences(receiver(route('a')), receiver(route('b')))).toEqual([
		'platforms.webhook.routes.push',
	]);
	expect(differingKeys(marksOf({}), marksOf({}, {script: 'exit 1'}))).toEqual(['scripts/check.sh']);
	expect(
		differingKeys(marksOf({}), marksOf({}, {store: 'postgres://svc:a-password@pool:6432/svc'})),
	).toEqual([]);
});

test('a file is read again once it has changed, and only then', () => {
	using home = createTemporaryHome();
	mkdirSync(home.paths.scripts, {recursive: true});
	const script = join(home.paths.scripts, 'check.sh');
	const config = configOf(home.load({config: JSON.stringify({gateway: {store}})}));
	const markOf = (text: string, seconds: number) => {
		writeFileSync(script, text);
		utimesSync(script, seconds, seconds);
		return configMarks(config)['scripts/check.sh'];
	};
	const first = markOf('exit 0', 1000);
	expect(markOf('exit 1', 1000)).toBe(first);
	const second = markOf('exit 1', 1001);
	expect(second).not.toBe(first);
	expect(markOf('exit 10', 1001)).not.toBe(second);
	expect(markOf('exit 0', 1002)).toBe(first);
});

test('another key of the store stands for all that it makes different, and no mark says what it is of', () => {
	const key = (text: string) => ({gateway: {store_key: text}, runs: {max_steps: 7}});
	const marks = marksOf(key('a long key of the store'));
	expect(differingKeys(marks, marksOf(key('another key of the store')))).toEqual([
		'gateway.store_key',
	]);
	expect(JSON.stringify(marks)).not.toContain('a long key');
	expect(Object.values(marks).every(mark => mark.length === 16)).toBe(true);
});
