import {expect, test} from 'vitest';
import type {ToolsChange as ToldChange} from '../../../source/approvals/approvals.ts';
import type {Config} from '../../../source/config/config.ts';
import {profilePaths, homePaths} from '../../../source/config/home-paths.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import type {ServerView} from '../../../source/core/tool-server.ts';
import type {Tool} from '../../../source/core/tool.ts';
import {createLiveServers} from '../../../source/gateway/servers/live-servers.ts';
import type {ManagerOfProfile} from '../../../source/gateway/servers/open-manager.ts';
import type {ServerManager} from '../../../source/mcp/contract.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {askedOf} from '../../helpers/make-approval.ts';
import {makeServer, makeServerConfig, makeShownTool} from '../../helpers/make-server.ts';

const noSignal = new AbortController().signal;
const paths = homePaths({environment: {SVC_HOME: '/home/ann/.svc'}});

const makeTool = (tool: string, definition: string): Tool => ({
	name: `mcp__crm__${tool}`,
	description: '',
	inputSchema: {},
	readOnly: false,
	needsApproval: true,
	asked: askedOf(makeShownTool({tool, definition})),
	execute: async () => ({text: 'done'}),
});

/** A manager that does nothing but remember, and whose servers a test moves. */
function createFakeManager(profile: ManagerOfProfile) {
	const calls: string[] = [];
	let servers: readonly string[] = [];
	let tools: ReadonlyMap<string, readonly Tool[]> = new Map();
	const ready = Promise.withResolvers<void>();
	let statuses: Readonly<Record<string, ServerView['status']>> = {};
	const view = (name: string): ServerView =>
		makeServer({name, profile: profile.profile, status: statuses[name] ?? 'connected'});
	const manager: ServerManager = {
		async apply(next) {
			calls.push(`apply ${[...next.keys()].join(' ')}`);
			for (const name of servers.filter(before => !next.has(before))) {
				profile.onRemoved(name);
			}

			servers = [...next.keys()];
		},
		loginChanged() {},
		plan: () => [
			{name: 'crm', kind: 'changed', keys: ['url'], isOther: true, closes: true, lostTools: []},
		],
		tools: () => tools,
		async ready(signal, isNeeded = () => true) {
			if (!servers.some(isNeeded)) {
				return;
			}

			const {promise, reject} = Promise.withResolvers<never>();
			signal.addEventListener('abort', () => {
				reject(signal.reason);
			});
			await Promise.race([ready.promise, promise]);
		},
		views: () => servers.map(view),
		connect: async name => view(name),
		disconnect: async name => view(name),
		async accept({server, tool, definition}) {
			calls.push(`accept ${server} ${tool} ${definition}`);
		},
		test: async server => ({server: view(server.name), durationMs: 12}),
		async [Symbol.asyncDispose]() {
			calls.push('closed');
		},
	};
	return {
		profile: profile.profile,
		environment: () => profile.environment(),
		manager,
		calls,
		ready: () => ready.resolve(),
		offers(all: typeof tools) {
			tools = all;
		},
		stands(next: typeof statuses) {
			statuses = next;
		},
		connected(list: readonly Tool[], overrides: Partial<ServerView> = {}) {
			tools = new Map([['crm', list]]);
			profile.onChange(makeServer({name: 'crm', profile: profile.profile, ...overrides}));
		},
	};
}

function open({servers = ['crm'], others = []}: {servers?: string[]; others?: string[]} = {}) {
	const clock = createFakeClock();
	const managers: Array<ReturnType<typeof createFakeManager>> = [];
	const events: GatewayEvent[] = [];
	const told: ToldChange[] = [];
	const world = {servers, others, broken: [] as string[]};
	const profileOf = (name: string) => ({
		name: name === 'own' ? 'default' : name,
		paths: name === 'default' || name === 'own' ? paths : profilePaths(paths, name),
		environment: {WHOSE: name},
		exists: name === 'default' || name === 'own' || world.others.includes(name),
	});
	const config = (): Pick<Config, 'toolServers' | 'profiles' | 'itemErrors'> => ({
		toolServers: new Map(world.servers.map(name => [name, makeServerConfig({name})])),
		itemErrors: new Map(),
		profiles: {others: world.others.map(profileOf), problems: [], of: profileOf},
	});
	const live = createLiveServers({
		clock,
		config,
		async openManager(profile) {
			if (world.broken.includes(profile.profile)) {
				throw new Error('disk full');
			}

			const fake = createFakeManager(profile);
			managers.push(fake);
			return fake.manager;
		},
		emit(event) {
			events.push(event);
		},
		log: silentLogger,
		onTools(change) {
			told.push(change);
		},
	});
	return {live, managers, events, told, world, clock};
}

test('without a server nothing is opened', async () => {
	const {live, managers} = open({servers: []});

	await live.changed();

	expect(await live.toolsOf('default', noSignal)).toEqual(new Map());
	expect(live.views()).toEqual([]);
	await expect(live.connect('crm')).rejects.toMatchObject({code: 'server_not_found'});
	expect(managers).toEqual([]);
	await live[Symbol.asyncDispose]();
});

test('the own profile’s servers connect at start, another one’s when a run of it first needs tools', async () => {
	const {live, managers} = open({others: ['acme']});

	await live.changed();
	expect(managers.map(({profile}) => profile)).toEqual(['default']);

	const tools = live.toolsOf('acme', noSignal);
	await expect.poll(() => managers.length).toBe(2);
	managers[1]?.ready();
	await tools;

	expect(managers.map(({profile, environment}) => [profile, environment()])).toEqual([
		['default', {WHOSE: 'default'}],
		['acme', {WHOSE: 'acme'}],
	]);
	expect(live.views().map(({profile, name}) => `${profile}/${name}`)).toEqual([
		'default/crm',
		'acme/crm',
	]);
	await live[Symbol.asyncDispose]();
	expect(managers.map(({calls}) => calls)).toEqual([
		['apply crm', 'closed'],
		['apply crm', 'closed'],
	]);
});

test('a server that comes with a reload opens a manager; servers that go are taken away', async () => {
	const {live, managers, events, world} = open({servers: []});
	await live.changed();
	world.servers = ['crm', 'mail'];
	await live.changed();
	world.servers = ['mail'];
	await live.changed();

	expect(managers.map(({calls}) => calls)).toEqual([['apply crm mail', 'apply mail']]);
	expect(events).toMatchObject([{type: 'server-removed', profile: 'default', name: 'crm'}]);
	await live[Symbol.asyncDispose]();
});

test('servers that cannot be opened for one profile are taken over for the others, and opened the next time', async () => {
	const {live, managers, world} = open({others: ['acme']});
	world.broken = ['default'];
	const tools = live.toolsOf('acme', noSignal);
	await expect.poll(() => managers.length).toBe(1);
	managers[0]?.ready();
	await tools;

	world.servers = ['crm', 'mail'];
	await live.changed();
	world.broken = [];
	await live.changed();

	expect(managers.map(({profile, calls}) => [profile, ...calls])).toEqual([
		['acme', 'apply crm', 'apply crm mail', 'apply crm mail'],
		['default', 'apply crm mail'],
	]);
	await live[Symbol.asyncDispose]();
});

test('the servers of a profile that goes are closed', async () => {
	const {live, managers, events, told, world} = open({others: ['acme']});
	await live.changed();
	const tools = live.toolsOf('acme', noSignal);
	await expect.poll(() => managers.length).toBe(2);
	managers[1]?.ready();
	await tools;

	world.others = [];
	await live.changed();

	expect(managers[1]?.calls).toEqual(['apply crm', 'closed']);
	expect(events).toMatchObject([{type: 'server-removed', profile: 'acme', name: 'crm'}]);
	// Nobody is asked any more for what waits, and no rule waits for others that are called like it.
	expect(told).toEqual([{profile: 'acme', server: 'crm'}]);
	await expect(live.connect('crm', 'acme')).rejects.toMatchObject({code: 'profile_not_served'});
	expect(await live.toolsOf('acme', noSignal)).toEqual(new Map());
	await live[Symbol.asyncDispose]();
});

test('a run waits for servers that connect, a minute at most', async () => {
	const {live, managers, clock} = open();
	await live.changed();
	const search = makeTool('search', 'a');

	let given = false;
	const tools = live.toolsOf('default', noSignal).then(all => {
		given = true;
		return all;
	});
	await new Promise(setImmediate);
	expect(given).toBe(false);

	managers[0]?.connected([search]);
	clock.advance(60_000);
	expect(await tools).toEqual(new Map([['crm', [search]]]));
	await live[Symbol.asyncDispose]();
});

test('a wait is told of after a second, with the servers that still connect and are needed', async () => {
	const {live, managers, clock} = open({servers: ['crm', 'files', 'mail']});
	await live.changed();
	const [manager] = managers;
	manager?.stands({crm: 'connecting', files: 'connecting', mail: 'connected'});
	const told: unknown[] = [];

	const tools = live.toolsOf('default', noSignal, {
		isNeeded: name => name !== 'crm',
		onWait(wait) {
			told.push(wait);
		},
	});
	await new Promise(setImmediate);
	expect(told).toEqual([]);
	clock.advance(1000);
	expect(told).toEqual([{servers: ['files'], mostMs: 60_000}]);

	manager?.ready();
	await tools;
	clock.advance(60_000);
	expect(told).toHaveLength(1);
	await live[Symbol.asyncDispose]();
});

test('a run waits for no server that it does not need', async () => {
	const {live, managers} = open({servers: ['crm']});
	await live.changed();
	managers[0]?.stands({crm: 'connecting'});

	expect(await live.toolsOf('default', noSignal, {isNeeded: () => false})).toEqual(new Map());
	await live[Symbol.asyncDispose]();
});

test('tools come in the order in which their servers stand in the file', async () => {
	const {live, managers} = open({servers: ['mail', 'crm']});
	await live.changed();
	managers[0]?.offers(
		new Map([
			['crm', [makeTool('search', 'a')]],
			['mail', [makeTool('send', 'b')]],
		]),
	);
	managers[0]?.ready();

	expect([...(await live.toolsOf('default', noSignal)).keys()]).toEqual(['mail', 'crm']);
	await live[Symbol.asyncDispose]();
});

test('a run that is cancelled waits no more', async () => {
	const {live} = open();
	await live.changed();
	const controller = new AbortController();

	const tools = live.toolsOf('default', controller.signal);
	controller.abort(new Error('cancelled'));

	await expect(tools).rejects.toThrow('cancelled');
	await live[Symbol.asyncDispose]();
});

test('definitions are told of when a server is connected and they are others than before, or when it is switched off', async () => {
	const {live, managers, told} = open();
	await live.changed();
	const [manager] = managers;
	const tools = [makeTool('search', 'a'), makeTool('send', 'b')];

	manager?.connected([], {status: 'connecting'});
	manager?.connected(tools);
	manager?.connected([...tools], {activeCalls: 1});
	manager?.connected(tools, {status: 'failed'});
	manager?.connected([makeTool('search', 'c')]);
	manager?.connected([], {status: 'skipped'});

	expect(told).toEqual([
		{
			profile: 'default',
			server: 'crm',
			endpoint: 'e0'.repeat(32),
			definitions: new Map([
				['search', 'a'],
				['send', 'b'],
			]),
			tools: tools.map(({asked}) => asked),
		},
		{
			profile: 'default',
			server: 'crm',
			endpoint: 'e0'.repeat(32),
			definitions: new Map([['search', 'c']]),
			tools: [makeTool('search', 'c').asked],
		},
		{profile: 'default', server: 'crm'},
	]);
	await live[Symbol.asyncDispose]();
});

test('what a person allowed is the known definition for the profile that it was asked for', async () => {
	const {live, managers} = open();
	await live.changed();

	await live.accept(askedOf(makeShownTool({tool: 'send', definition: 'd'})));
	await live.accept(askedOf(makeShownTool({profile: 'acme', tool: 'send', definition: 'e'})));
	await live.accept({...askedOf(makeShownTool({tool: 'send'})), from: {kind: 'built-in'}});

	expect(managers.map(({calls}) => calls)).toEqual([['apply crm', 'accept crm send d']]);
	await live[Symbol.asyncDispose]();
});

test('what a reload would do is said with and without a manager', async () => {
	const {live, world} = open({servers: []});
	const servers = new Map([['crm', makeServerConfig({name: 'crm'})]]);

	expect(live.plan(servers)).toMatchObject([{name: 'crm', kind: 'added', closes: false}]);

	world.servers = ['crm'];
	await live.changed();
	expect(live.plan(servers)).toMatchObject([{name: 'crm', kind: 'changed', closes: true}]);
	await live[Symbol.asyncDispose]();
});
