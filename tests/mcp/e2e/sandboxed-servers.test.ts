// @module-tag slow
import {once} from 'node:events';
import {readFile, realpath} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test, type TestContext} from 'vitest';
import type {ServerSandbox} from '../../../source/config/endpoint-settings.ts';
import {hostRulesOf} from '../../../source/config/toolset-settings.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {evaluates, inSandbox, programs} from '../servers/evaluating-server.ts';
import {everythingServer, officialServer, stdioServer} from '../servers/stdio-server.ts';
import {openManager} from './open-manager.ts';

const probe = await probeSandbox(process.env);

function needSandbox({skip}: Pick<TestContext, 'skip'>): void {
	if (!probe.works) {
		skip(`no sandbox works here: ${probe.reason}`);
	}
}

test('the official filesystem server works in a listed folder, and finds nothing beside it', async context => {
	needSandbox(context);
	await using folder = await temporaryHome({'notes/a.txt': 'one', 'secret.txt': 'canary-4711'});
	const notes = await realpath(folder.file('notes'));
	await using managed = await openManager({sandbox: 'works'});
	await managed.apply(inSandbox(officialServer('filesystem', [notes]), {write: [notes]}));
	const call = async (name: string, args: JsonObject) =>
		managed.tool(name).execute(args, {signal: new AbortController().signal});

	expect(managed.view()).toMatchObject({status: 'connected'});
	expect((await call('write_file', {path: `${notes}/b.txt`, content: 'two'})).isError).toBeFalsy();
	expect((await call('read_text_file', {path: `${notes}/a.txt`})).text).toContain('one');
	expect(await readFile(folder.file('notes/b.txt'), 'utf8')).toBe('two');
});

test('a change of the lists counts at once: with read alone nothing is written', async context => {
	needSandbox(context);
	await using folder = await temporaryHome({'notes/a.txt': 'one'});
	const notes = await realpath(folder.file('notes'));
	await using managed = await openManager({sandbox: 'works'});
	const server = officialServer('filesystem', [notes]);
	await managed.apply(inSandbox(server, {write: [notes]}));

	await managed.apply(inSandbox(server, {read: [notes]}));
	const written = await managed
		.tool('write_file')
		.execute({path: `${notes}/b.txt`, content: 'two'}, {signal: new AbortController().signal});

	expect(written).toMatchObject({isError: true, text: expect.stringMatching(/EROFS|read-only/i)});
});

test('the official memory server keeps its file in a listed folder', async context => {
	needSandbox(context);
	await using folder = await temporaryHome();
	const place = await realpath(folder.path);
	await using managed = await openManager({sandbox: 'works'});
	await managed.apply(
		inSandbox(
			officialServer('memory'),
			{write: [place]},
			{MEMORY_FILE_PATH: `${place}/memory.jsonl`},
		),
	);

	await managed
		.tool('create_entities')
		.execute(
			{entities: [{name: 'Ada', entityType: 'person', observations: ['counts']}]},
			{signal: new AbortController().signal},
		);

	expect(await readFile(folder.file('memory.jsonl'), 'utf8')).toContain('"Ada"');
});

test('the official everything server needs nothing but its own folder, and its view says so', async context => {
	needSandbox(context);
	await using managed = await openManager({sandbox: 'works'});
	await managed.apply(inSandbox(everythingServer()));

	const sum = await managed.call('mcp__crm__get_sum', {a: 2, b: 3});
	const {text} = await managed.call('mcp__crm__get_env');

	expect(sum.text).toContain('5');
	expect(text).toContain('"LOGNAME": "user"');
	expect(text).not.toContain('VITEST');
	expect(managed.view()).toMatchObject({sandbox: `read ${programs.join(', ')}`});
});

test('a server sees its own variables and hosts, and nothing of the gateway', async context => {
	needSandbox(context);
	await using folder = await temporaryHome({'secret.txt': 'canary-4711'});
	const web = createServer((_, response) => {
		response.end('arrived');
	});
	web.listen({host: '127.0.0.1', port: 0});
	await once(web, 'listening');
	const {port} = web.address() as AddressInfo;
	await using managed = await openManager({sandbox: 'works', environment: {CANARY: 'x'}});
	await managed.apply(
		inSandbox(
			stdioServer(process.execPath, ['-e', evaluates]),
			{hosts: hostRulesOf([`127.0.0.1:${port}`])},
			{OWN: 'mine'},
		),
	);
	const evaluate = async (code: string) => {
		const {text} = await managed
			.tool('run')
			.execute({code}, {signal: new AbortController().signal});
		return text;
	};

	expect(await evaluate('process.env.OWN + process.env.CANARY')).toBe('mineundefined');
	expect(
		await evaluate(`require('node:fs').readFileSync(${JSON.stringify(folder.file('secret.txt'))})`),
	).toBe('ENOENT');
	expect(await evaluate(`fetch('http://127.0.0.1:${port}/').then(found => found.text())`)).toBe(
		'arrived',
	);
	expect(await evaluate(`fetch('http://192.0.2.1/').then(found => found.status)`)).toBe('403');
	expect(managed.records.map(({message}) => message)).toContainEqual(
		expect.stringMatching(
			/^The sandbox did not reach "192\.0\.2\.1:80": .*mcp_servers\.crm\.sandbox\.hosts/,
		),
	);
	web.closeAllConnections();
	web.close();
	await once(web, 'close');
});

test('where no sandbox works the server has failed, and its program was never started', async () => {
	await using managed = await openManager({sandbox: 'fails'});

	await managed.apply(inSandbox(officialServer('memory')));

	expect(managed.view()).toMatchObject({
		status: 'failed',
		reason: expect.stringMatching(/^No sandbox works here: /),
	});
});

test.for([
	[{command: '/nowhere/at/all'}, 'is not inside of its sandbox'],
	[{command: './relative'}, 'is not inside of its sandbox'],
	[
		{command: 'npx'},
		'Command "npx" fetches its package at each start: list registry.npmjs.org in sandbox.hosts, or',
	],
	[{command: '/home/ada/.local/bin/uvx'}, 'list pypi.org and files.pythonhosted.org in'],
	[{command: '/nowhere/constructor'}, 'is not inside of its sandbox'],
	[{read: ['/nowhere/at/all']}, 'sandbox.read: "/nowhere/at/all" is not there'],
	[{write: ['/usr/local']}, 'sandbox.write: "/usr/local" belongs to the system'],
] as const)(
	'a sandbox that cannot be is not tried again, and its reason has its place: %j',
	async ([given, said], context) => {
		needSandbox(context);
		await using managed = await openManager({sandbox: 'works'});
		const {command = process.execPath, ...lists} = given as {
			command?: string;
		} & Partial<ServerSandbox>;

		await managed.apply(inSandbox(stdioServer(command, ['-e', evaluates]), lists));

		expect(managed.view()).toMatchObject({status: 'parked'});
		expect(managed.view().reason).toContain(said);
	},
);
