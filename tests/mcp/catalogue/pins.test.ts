import {mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {expect, test} from 'vitest';
import {createLogger} from '../../../source/core/log.ts';
import {openPins} from '../../../source/mcp/catalogue/pins.ts';
import {definitionOf, definitionText} from '../../../source/mcp/catalogue/tool-definition.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const hash = (digit: number) => String(digit).repeat(64);
const wipe = {profile: 'default', server: 'crm', tool: 'wipe'} as const;

const seen = (definition: string, more: {trust?: 'full' | 'untrusted'; tool?: string} = {}) => ({
	profile: 'default',
	server: 'crm',
	trust: more.trust ?? ('untrusted' as const),
	tools: [{tool: more.tool ?? 'wipe', definition}],
});

function openIn(folder: string) {
	const clock = createFakeClock();
	const lines: string[] = [];
	const log = createLogger({
		clock,
		redact: text => text,
		write: ({message}) => lines.push(message),
	});
	const path = join(folder, 'mcp_tool_pins.json');
	return {path, lines, open: async () => openPins({path, log, clock})};
}

test('a folder that is not there, or was emptied by somebody, is made', async () => {
	await using folder = await temporaryHome();
	const {open, lines} = openIn(join(folder.path, 'cache'));
	await (await open()).remember(seen(hash(1)));

	expect((await open()).knownOf('default', 'crm').definitions).toEqual(
		new Map([['wipe', hash(1)]]),
	);
	expect(lines).toEqual([]);
});

test('the definition that is seen first is pinned, also over restarts', async () => {
	await using folder = await temporaryHome();
	const {open, path} = openIn(folder.path);
	const pins = await open();
	expect(pins.knownOf('default', 'crm')).toEqual({trustsNewTools: true, definitions: new Map()});

	await pins.remember(seen(hash(1)));
	await pins.remember(seen(hash(2)));

	const again = (await open()).knownOf('default', 'crm');
	expect(again).toEqual({trustsNewTools: true, definitions: new Map([['wipe', hash(1)]])});
	expect(pins.knownOf('default', 'crm')).toEqual(again);
	expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a definition that a person accepted is the pinned one', async () => {
	await using folder = await temporaryHome();
	const {open} = openIn(folder.path);
	const pins = await open();
	await pins.remember(seen(hash(1)));
	await pins.accept({...wipe, definition: hash(2)});

	expect((await open()).knownOf('default', 'crm').definitions.get('wipe')).toBe(hash(2));
});

test('a new definition of a trusted server replaces the old one', async () => {
	await using folder = await temporaryHome();
	const pins = await openIn(folder.path).open();
	await pins.remember(seen(hash(1), {trust: 'full'}));
	await pins.remember(seen(hash(2), {trust: 'full'}));

	expect(pins.knownOf('default', 'crm').definitions.get('wipe')).toBe(hash(2));
});

test('pins belong to one server of one profile', async () => {
	await using folder = await temporaryHome();
	const pins = await openIn(folder.path).open();
	await pins.remember(seen(hash(1)));

	expect(pins.knownOf('other', 'crm').definitions.size).toBe(0);
	expect(pins.knownOf('default', 'crm2').definitions.size).toBe(0);
});

test.for([
	'{"version":1,"servers":[[',
	'[]',
	'{"version":2,"servers":[]}',
	'{"version":1,"trustsNewTools":true,"servers":[["k",{"wipe":"short"}]]}',
	'{"version":1,"trustsNewTools":true,"servers":[[1,{}]]}',
	'',
])('with the file %j every tool counts as changed, until it is accepted', async text => {
	await using folder = await temporaryHome();
	const {open, path, lines} = openIn(folder.path);
	writeFileSync(path, text);
	const pins = await open();
	expect(pins.knownOf('default', 'crm')).toEqual({trustsNewTools: false, definitions: new Map()});
	expect(lines[0]).toContain('until it is removed, tools count as changed');

	// What is listed while nothing is known must not become known by being listed.
	await pins.remember(seen(hash(1)));
	expect(readFileSync(path, 'utf8')).toBe(text);

	await pins.accept({...wipe, definition: hash(1)});
	await pins.remember(seen(hash(3), {tool: 'other'}));
	expect((await open()).knownOf('default', 'crm')).toEqual({
		trustsNewTools: false,
		definitions: new Map([['wipe', hash(1)]]),
	});

	rmSync(path);
	expect((await open()).knownOf('default', 'crm').trustsNewTools).toBe(true);
});

test('two processes keep each other’s pins', async () => {
	await using folder = await temporaryHome();
	const {open} = openIn(folder.path);
	const [one, two] = [await open(), await open()];
	await Promise.all([one.remember(seen(hash(1))), one.remember(seen(hash(2), {tool: 'other'}))]);
	await two.remember({...seen(hash(3)), server: 'docs'});

	const pins = await open();
	expect([...pins.knownOf('default', 'crm').definitions.keys()]).toEqual(['wipe', 'other']);
	expect(pins.knownOf('default', 'docs').definitions.get('wipe')).toBe(hash(3));
});

test('a server cannot push its own pins out: what is beyond 1,000 counts as changed', async () => {
	await using folder = await temporaryHome();
	const pins = await openIn(folder.path).open();
	const names = Array.from({length: 1001}, (_, index) => `t${index}`);
	await pins.remember({
		...seen(hash(1)),
		tools: names.map(tool => ({tool, definition: hash(1)})),
	});
	const {trustsNewTools, definitions} = pins.knownOf('default', 'crm');

	expect([definitions.size, definitions.has('t0'), trustsNewTools]).toEqual([1000, true, false]);
});

test('what cannot be written is logged and holds until the end of the process', async () => {
	await using folder = await temporaryHome();
	const {open, path, lines} = openIn(folder.path);
	const pins = await open();
	mkdirSync(path);
	await pins.remember(seen(hash(1)));

	expect(pins.knownOf('default', 'crm').definitions.get('wipe')).toBe(hash(1));
	expect(lines).toEqual([expect.stringContaining('Cannot write down how tools are defined')]);
});

test('a tool named like something of JavaScript is a tool', async () => {
	await using folder = await temporaryHome();
	const {open} = openIn(folder.path);
	await (await open()).remember(seen(hash(1), {tool: '__proto__'}));

	expect((await open()).knownOf('default', 'crm').definitions.get('__proto__')).toBe(hash(1));
	expect((await open()).knownOf('default', 'crm').definitions.get('constructor')).toBeUndefined();
});

const create = {
	name: 'wipe',
	description: 'Wipes one record.\nAsks first.',
	inputSchema: {type: 'object' as const, properties: {id: {type: 'string'}}},
	annotations: {readOnlyHint: true},
};

const textSeen = (tools: readonly ListedTool[], server = 'crm') => ({
	profile: 'default',
	server,
	trust: 'untrusted' as const,
	tools: tools.map(tool => ({
		tool: tool.name,
		definition: definitionOf(tool),
		text: definitionText(tool),
	})),
});

test('how a tool was defined when it was pinned is kept, also over restarts, and goes with its pin', async () => {
	await using folder = await temporaryHome();
	const {open} = openIn(folder.path);
	const pins = await open();
	const other = {...create, description: 'Wipes everything.'};
	await pins.remember(textSeen([create]));
	await pins.remember(textSeen([other]));

	const texts = async () => (await open()).knownOf('default', 'crm').texts;
	expect(await texts()).toEqual(new Map([['wipe', definitionText(create)]]));

	await pins.accept({...wipe, definition: definitionOf(other)});
	expect(await texts()).toBeUndefined();
	await pins.remember(textSeen([other]));
	expect(await texts()).toEqual(new Map([['wipe', definitionText(other)]]));
});

test('a tool that was pinned before definitions were kept has one as soon as it is seen again', async () => {
	await using folder = await temporaryHome();
	const {open, path} = openIn(folder.path);
	const servers = [['["default","crm"]', {wipe: definitionOf(create)}]];
	writeFileSync(path, JSON.stringify({version: 1, trustsNewTools: true, servers}));
	const pins = await open();
	expect(pins.knownOf('default', 'crm').texts).toBeUndefined();

	await pins.remember(textSeen([create]));
	expect((await open()).knownOf('default', 'crm').texts?.get('wipe')).toBe(definitionText(create));
});

test('what is kept is bounded, for a tool, a server and in all, and a text that is not that of its hash is none', async () => {
	await using folder = await temporaryHome();
	const {open, path} = openIn(folder.path);
	const pins = await open();
	const sized = (name: string, length: number) => ({
		...create,
		name,
		description: 'x'.repeat(length),
	});
	await pins.remember(textSeen([sized('small', 100), sized('large', 20_000)]));
	expect([...(pins.knownOf('default', 'crm').texts?.keys() ?? [])]).toEqual(['small']);

	for (let index = 0; index < 20; index++) {
		const many = Array.from({length: 40}, (_, at) => sized(`tool${at}`, 15_000 + index));
		await pins.remember(textSeen(many, `server${index}`));
	}

	expect(pins.knownOf('default', 'server19').texts?.size).toBe(17);
	expect(pins.knownOf('default', 'server0').definitions.size).toBe(40);
	expect(pins.knownOf('default', 'server0').texts).toBeUndefined();
	const text = readFileSync(path, 'utf8');
	expect(text.length).toBeLessThan(5_000_000);

	writeFileSync(path, text.replaceAll('Wipes one', 'Reads one').replaceAll('xxxx', 'yyyy'));
	expect((await open()).knownOf('default', 'server19').texts).toBeUndefined();
});
