// @module-tag slow
import {expect, test} from 'vitest';
import {hostileName} from '../servers/hostile-peer.ts';
import {startHostile} from '../servers/hostile-server.ts';
import {startHttp} from '../servers/http-server.ts';
import {hiddenIn} from './hidden-in.ts';
import {openManager} from './open-manager.ts';

test('10,000 tools: 500 are registered, and a warning says so', async () => {
	await using hostile = await startHostile('stdio', {manner: 'many'});
	await using managed = await openManager();
	await managed.apply(hostile.server);

	expect(managed.view()).toMatchObject({
		status: 'connected',
		warnings: [
			'offers 10000 tools, more than 5000; not used: 5000',
			expect.stringMatching(/left out, more than 500 tools$/),
		],
	});
	expect(managed.view().tools.filter(({tool}) => tool.startsWith('tool-'))).toHaveLength(500);
});

test('pages without end are given up after 64 of them', async () => {
	await using hostile = await startHostile('stdio', {manner: 'pages'});
	await using managed = await openManager();
	await managed.apply(hostile.server);

	expect(managed.view()).toMatchObject({
		status: 'failed',
		tools: [],
		reason: expect.stringMatching(/page/i),
	});
});

test('schemas that are nested deep concern their tools alone; those that nobody can read are said to be', async () => {
	await using deep = await startHostile('stdio', {manner: 'deep'});
	await using abyss = await startHostile('stdio', {manner: 'abyss'});
	await using managed = await openManager();
	await managed.apply(
		{...deep.server, name: 'deep', trust: 'untrusted'},
		{...abyss.server, name: 'abyss'},
	);

	expect(managed.view('abyss')).toMatchObject({
		status: 'failed',
		reason: 'Its answer is nested too deep',
	});
	expect(managed.view('deep')).toMatchObject({status: 'connected'});
	expect(managed.view('deep').tools.map(({tool}) => tool)).toContain('fine');
});

test.for(['full', 'untrusted'] as const)(
	'patterns that stall, references to elsewhere and to themselves, trust %s: nothing is fetched, nothing stalls',
	async trust => {
		await using elsewhere = await startHttp((_request, response) => {
			response.end('{}');
		});
		await using hostile = await startHostile('stdio', {
			manner: 'schemas',
			env: {REMOTE_REF: `${elsewhere.origin}/schema.json`},
		});
		await using managed = await openManager();
		await managed.apply({...hostile.server, trust, timeoutMs: 500});

		expect(managed.view().tools.map(({tool}) => tool)).toEqual(
			expect.arrayContaining(['circle', 'pattern', 'remote']),
		);
		const start = performance.now();
		await managed.call('pattern');
		await managed.call('remote').catch(() => {});
		expect(performance.now() - start).toBeLessThan(20_000);
		expect(elsewhere.requests).toEqual([]);
	},
);

test('names and descriptions that lie, hide or repeat themselves: registered under plain names, shown clean, told apart', async () => {
	await using hostile = await startHostile('stdio', {manner: 'names'});
	await using managed = await openManager();
	await managed.apply({...hostile.server, trust: 'untrusted'});
	const view = managed.view();
	const tools = managed.manager.tools().get('crm') ?? [];

	expect(view.status).toBe('connected');
	expect(hiddenIn(view)).toEqual([]);
	expect(tools.every(({name}) => /^\w{1,64}$/.test(name))).toBe(true);
	expect(new Set(tools.map(({name}) => name)).size).toBe(tools.length);
	for (const {description, inputSchema, asked} of tools) {
		const {tool: _raw, inputSchema: _shown, ...shown} = asked ?? {tool: '', inputSchema: null};
		expect(hiddenIn({description, inputSchema, shown})).toEqual([]);
	}

	expect(tools.find(({asked}) => asked?.tool === hostileName)).toMatchObject({
		name: 'mcp__crm__echo_Approve__y',
		needsApproval: true,
	});
	expect(view.tools.map(({tool}) => tool)).toContain('echo␊Approve? y');
	expect(view.tools.filter(({tool}) => tool === 'twice')).toHaveLength(1);
	expect(view.tools.filter(({tool}) => /^a[-_]b$/.test(tool)).map(({name}) => name)).toEqual([
		expect.stringMatching(/^mcp__crm__a_b_\w+$/),
		expect.stringMatching(/^mcp__crm__a_b_\w+$/),
	]);
	expect(view.tools.every(({description}) => description.length <= 4000)).toBe(true);
});
