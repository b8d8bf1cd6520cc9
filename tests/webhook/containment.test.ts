import {execFileSync} from 'node:child_process';
import {mkdir, rename, rm, symlink, unlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {createLogger, silentLogger} from '../../source/core/log.ts';
import {createFilterFiles} from '../../source/webhook/filter-files.ts';
import {scriptEnvironment} from '../../source/webhook/script.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const missing = 'no such script in the scripts folder';

async function putScript(receiver: TestReceiver, name: string, source = 'echo {}') {
	const path = join(receiver.scripts, name);
	await mkdir(dirname(path), {recursive: true});
	await writeFile(path, source);
}

async function outcomeOf(receiver: TestReceiver) {
	await receiver.post({});
	return receiver.step('script');
}

test('a script that is swapped for a link to outside is not run any more', async () => {
	await using outside = await temporaryHome({'evil.sh': 'echo {}'});
	await using receiver = await startReceiver({routes: [makeRoute({script: 'a.sh'})]});
	await putScript(receiver, 'a.sh');
	expect(await outcomeOf(receiver)).toBe('a.sh replaced the payload');
	await unlink(join(receiver.scripts, 'a.sh'));
	await symlink(outside.file('evil.sh'), join(receiver.scripts, 'a.sh'));
	expect(await outcomeOf(receiver)).toBe(`a.sh ${missing}`);
});

test('a folder of scripts that is swapped for a link to outside is not entered any more', async () => {
	await using outside = await temporaryHome({'a.sh': 'echo {}'});
	await using receiver = await startReceiver({routes: [makeRoute({script: 'sub/a.sh'})]});
	await putScript(receiver, 'sub/a.sh');
	expect(await outcomeOf(receiver)).toBe('sub/a.sh replaced the payload');
	await rename(join(receiver.scripts, 'sub'), join(receiver.scripts, 'moved'));
	await symlink(outside.path, join(receiver.scripts, 'sub'));
	expect(await outcomeOf(receiver)).toBe(`sub/a.sh ${missing}`);
	await unlink(join(receiver.scripts, 'sub'));
	await symlink(join(receiver.scripts, 'moved'), join(receiver.scripts, 'sub'));
	expect(await outcomeOf(receiver)).toBe('sub/a.sh replaced the payload');
});

test('a neighbour whose name begins like the folder is outside', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({script: '../scripts-old/a.sh'})],
	});
	await putScript(receiver, '../scripts-old/a.sh');
	expect(await outcomeOf(receiver)).toContain(missing);
});

test('a scripts folder that is itself a link is followed; a folder is no script', async () => {
	await using elsewhere = await temporaryHome({'a.sh': 'echo {}', 'folder/x': ''});
	await using receiver = await startReceiver({routes: [makeRoute({script: 'a.sh'})]});
	await rm(receiver.scripts, {recursive: true});
	await symlink(elsewhere.path, receiver.scripts);
	expect(await outcomeOf(receiver)).toBe('a.sh replaced the payload');
	receiver.setRoutes(makeRoute({script: 'folder'}));
	expect((await receiver.post({})).json['reason']).toBe('script');
});

test.for([
	['a nonzero exit code', 'exit 1'],
	['a signal', 'kill -9 $$'],
	['a JSON array', 'echo "[1]"'],
	['too much output', 'yes'],
	['a missing script', undefined],
] as const)(
	'`retry_on_script_failure: true`: 503 with `Retry-After`, the id is not consumed: %s',
	async ([, source]) => {
		await using receiver = await startReceiver({
			routes: [makeRoute({script: 'a.sh', retryOnScriptFailure: true})],
		});
		if (source !== undefined) {
			await putScript(receiver, 'a.sh', source);
		}

		const id = {'X-Forge-Delivery': 'd-1'};
		const answer = await receiver.post({}, id);
		expect([answer.status, answer.json]).toEqual([503, {error: 'Script failed'}]);
		expect(answer.headers['retry-after']).toBe('30');
		await putScript(receiver, 'a.sh');
		expect((await receiver.post({}, id)).status).toBe(202);
	},
);

test('output is capped at 1 MiB: to the byte', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({script: 'a.sh'})]});
	const printing = (bytes: number) => `head -c ${bytes} /dev/zero | tr "\\0" x`;
	await putScript(receiver, 'a.sh', printing(1_048_576));
	expect(await outcomeOf(receiver)).toBe('a.sh added script_output, 1048576 characters');
	await putScript(receiver, 'a.sh', printing(1_048_577));
	expect(await outcomeOf(receiver)).toBe('a.sh killed after 1048576 bytes of output');
});

test('what a script says on its error output is bounded, safe and without secrets', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({script: 'a.sh'})]});
	await putScript(
		receiver,
		'a.sh',
		`yes | head -c 3000000 >&2; printf 'correct horse battery staple \\033[2J' >&2; exit 1`,
	);
	const detail = await outcomeOf(receiver);
	expect(detail?.length).toBeLessThanOrEqual(300);
	expect(detail).not.toContain('correct horse');
	expect(detail).not.toContain('\u001b');
});

test('environment of a script: a few names of ours, nothing that loads code, no secret', () => {
	const given = {
		PATH: '/bin',
		HOME: '/h',
		USER: 'u',
		LOGNAME: 'u',
		LANG: 'C',
		LC_ALL: 'C',
		TMPDIR: '/t',
		API_KEY: 'x',
		LD_PRELOAD: 'x',
		BASH_ENV: 'x',
		ENV: 'x',
		PYTHONPATH: 'x',
		PYTHONSTARTUP: 'x',
		NODE_OPTIONS: 'x',
		PATHX: 'x',
		XPATH: 'x',
		LC_: 'x',
		SVC_WEBHOOK_EVENT_TYPE: 'forged',
	};
	expect(scriptEnvironment(given, {event: 'push', deliveryId: 'd-1'})).toEqual({
		PATH: '/bin',
		HOME: '/h',
		USER: 'u',
		LOGNAME: 'u',
		LANG: 'C',
		LC_ALL: 'C',
		TMPDIR: '/t',
		SVC_WEBHOOK_EVENT_TYPE: 'push',
		SVC_WEBHOOK_DELIVERY_ID: 'd-1',
	});
});

test('a filter file that is swapped for a link to outside, or for a pipe, holds nothing any more', async () => {
	await using outside = await temporaryHome({list: 'a'});
	await using home = await temporaryHome({list: 'a'});
	const holds = createFilterFiles({clock: createFakeClock(), log: silentLogger})(home.path);
	expect(holds('list', 'a')).toBe(true);
	await unlink(home.file('list'));
	await symlink(outside.file('list'), home.file('list'));
	expect(holds('list', 'a')).toBe(false);
	await unlink(home.file('list'));
	execFileSync('mkfifo', [home.file('list')]);
	expect(holds('list', 'a')).toBe(false);
	await unlink(home.file('list'));
	await writeFile(home.file('list'), 'a');
	expect(holds('list', 'a')).toBe(true);
});

test('a filter file of one profile says nothing of the file of another', async () => {
	await using work = await temporaryHome({list: 'a'});
	await using play = await temporaryHome({list: 'b'});
	const files = createFilterFiles({clock: createFakeClock(), log: silentLogger});
	const names = [files(work.path), files(play.path)].map(holds =>
		['a', 'b'].filter(value => holds('list', value)),
	);
	expect(names).toEqual([['a'], ['b']]);
});

const gatewaysOwn = [
	'.env',
	'lists/.env',
	'.env.local',
	'profiles/other/list',
	'profiles/other/.env',
	'run/gateway.pid',
	'mcp-tokens/crm.json',
	'state.db',
	'state.db-wal',
	'cron/jobs.json',
	'logs/gateway.log',
	'config.yaml',
	'webhook_subscriptions.json',
];

test.for(gatewaysOwn)('a filter cannot be asked what the gateway keeps in %s', async path => {
	await using home = await temporaryHome({[path]: 'a', 'lists/list': 'a'});
	await symlink(home.file(path), home.file('lists/link'));
	await symlink(home.path, home.file('lists/folder'));
	const lines: string[] = [];
	const log = createLogger({
		clock: createFakeClock(),
		redact: text => text,
		write: ({level, message}) => {
			lines.push(`${level} ${message}`);
		},
	});
	const holds = createFilterFiles({clock: createFakeClock(), log})(home.path);
	expect(holds('lists/list', 'a')).toBe(true);
	for (const way of [
		path,
		`lists/../${path}`,
		join(home.path, path),
		'lists/link',
		`lists/folder/${path}`,
	]) {
		expect(holds(way, 'a')).toBe(false);
		expect(lines.splice(0)).toEqual([
			expect.stringContaining(
				`warn Cannot use filter file "${way}": it is one of the gateway's own`,
			),
		]);
	}
});

test('a place of the gateway that is itself a link is closed under both names', async () => {
	await using home = await temporaryHome({'data/other/list': 'a', 'dotfiles/svc.yaml': 'a'});
	await symlink('data', home.file('profiles'));
	await symlink('dotfiles/svc.yaml', home.file('config.yaml'));
	const holds = createFilterFiles({clock: createFakeClock(), log: silentLogger})(home.path);
	expect(holds('data/other/list', 'a')).toBe(false);
	expect(holds('dotfiles/svc.yaml', 'a')).toBe(false);
});

test('a profile reads the lists of its own home, which lies below `profiles/`', async () => {
	await using base = await temporaryHome({
		'profiles/other/list': 'a',
		'profiles/other/logs/list': 'a',
		'profiles/other/.environment': 'a',
		'profiles/other/runs/list': 'a',
	});
	const files = createFilterFiles({clock: createFakeClock(), log: silentLogger});
	const holds = files(base.file('profiles/other'));
	const names = ['list', '.environment', 'runs/list', 'logs/list', '../other/list'];
	expect(names.filter(name => holds(name, 'a'))).toEqual([
		'list',
		'.environment',
		'runs/list',
		'../other/list',
	]);
});

test('scripts may lie wherever they do: what runs there is a person’s own', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({script: 'run/a.sh'})]});
	await putScript(receiver, 'run/a.sh');
	expect(await outcomeOf(receiver)).toBe('run/a.sh replaced the payload');
});
