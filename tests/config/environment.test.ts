import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {resolve} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {mergeEnvironment, processEnvironment, variable} from '../../source/config/environment.ts';
import {resolveReferences} from '../../source/config/references.ts';
import {createTemporaryHome} from './temporary-home.ts';

test('"the profile\'s `.env` first, then the process environment", and none of it leaks', () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.env, 'export SVC_TEST_A="from file"\nSVC_TEST_B=b # note\n');
	const merged = mergeEnvironment(home.paths.env, {SVC_TEST_A: 'outside', SVC_TEST_C: 'c'});
	expect(merged).toEqual({SVC_TEST_A: 'from file', SVC_TEST_B: 'b', SVC_TEST_C: 'c'});
	expect(processEnvironment()['SVC_TEST_A']).toBeUndefined();
});

test('a home without `.env` has the environment of the process', () => {
	using home = createTemporaryHome();
	expect(mergeEnvironment(home.paths.env, {A: 'a'})).toEqual({A: 'a'});
});

test('names that every object inherits are not variables', () => {
	expect(variable({}, 'constructor')).toBeUndefined();
	expect(resolveReferences('${toString}', {}).unset).toEqual(['toString']);
});

test('"`${VAR}` or `${env:VAR}` (same variable)"', () => {
	expect(resolveReferences('a ${X} b ${env:X}${Y}', {X: '1', Y: '${X}'})).toEqual({
		text: 'a 1 b 1${X}',
		unset: [],
		isMalformed: false,
	});
});

test('a variable that is not set is named once and keeps its placeholder', () => {
	expect(resolveReferences('${A}${A}${b}', {})).toMatchObject({
		text: '${A}${A}${b}',
		unset: ['A', 'b'],
	});
});

test('requests go straight to this machine, whatever Node is told of proxies', async () => {
	const server = createServer((_, response) => response.end('direct')).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	const module = resolve('source/config/environment.ts');
	const ask = `fetch('http://127.0.0.1:${port}').then(answer => answer.text()).catch(() => 'asked the proxy')`;
	// Of Node's own, at its start; nobody listens on port 9.
	const {stdout} = await promisify(execFile)(
		process.execPath,
		[
			'--input-type=module',
			'--eval',
			`import {askNoProxy} from '${module}'; console.log(await ${ask}); askNoProxy(); console.log(await ${ask});`,
		],
		{
			env: {
				PATH: process.env['PATH'] ?? '',
				NODE_USE_ENV_PROXY: '1',
				HTTP_PROXY: 'http://127.0.0.1:9',
			},
		},
	);
	server.close();
	expect(stdout.trim().split('\n')).toEqual(['asked the proxy', 'direct']);
});
