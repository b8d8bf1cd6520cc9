import {mkdir, mkdtemp, realpath, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {CallToApprove} from '../../source/approvals/approvals.ts';
import type {FileRule} from '../../source/core/approval.ts';
import {type AskedTool, toolPlace} from '../../source/core/tool.ts';
import {createTestQueue, makeAsked, makeAskingRun, makeCall} from './queue-fixture.ts';

const inputSchema = {type: 'object', properties: {path: {}, paths: {}, mode: {}, edits: {}}};

const writes = (overrides: Parameters<typeof makeAsked>[0] = {}): AskedTool =>
	makeAsked({
		server: 'files',
		tool: 'write_file',
		name: 'mcp__files__write_file',
		claims: {destructive: true},
		inputSchema,
		...overrides,
	});

/** A folder of a person, a queue that knows it, and one rule by hand. */
async function open(rule: Partial<FileRule> = {}) {
	const home = await realpath(await mkdtemp(join(tmpdir(), 'svc-rules-')));
	await mkdir(join(home, 'notes'));
	const queue = createTestQueue({userHome: home, closedFolders: [join(home, 'program')]});
	const forJob: FileRule = {
		owner: {kind: 'job', name: 'nightly'},
		profile: 'default',
		name: 'mcp__files__write_file',
		when: [{key: 'path', below: join(home, 'notes')}],
		place: 'config.yaml:3',
		...rule,
	};
	const change = async (...tools: readonly AskedTool[]) => {
		queue.approvals.toolsChanged({
			profile: 'default',
			server: 'files',
			...(tools[0] ? toolPlace(tools[0].from) : {endpoint: 'e1'}),
			definitions: new Map(tools.map(({tool, definition}) => [tool, definition])),
			tools,
		});
		// Binding is a write after the other.
		await queue.approvals.setFileRules({rules: [forJob], isWhole: true});
	};
	/** Who allowed a call: a rule's number, or nobody yet. */
	const ruleThatAllows = async (call: Partial<CallToApprove> = {}) => {
		const controller = new AbortController();
		const verdict = queue.approvals.request(
			makeCall({
				tool: writes(),
				args: {path: join(home, 'notes/a.md')},
				run: makeAskingRun({
					origin: {kind: 'job', job: {id: 'job_1', name: 'nightly'}},
				}),
				...call,
				signal: controller.signal,
			}),
		);
		const settled = new Promise<undefined>(resolve => {
			const look = () => {
				if (queue.approvals.waiting().length > 0) {
					controller.abort();
					resolve(undefined);
				} else {
					setImmediate(look);
				}
			};
			look();
		});
		const first = await Promise.race([verdict, settled]);
		return first?.allowed ? first.rule : undefined;
	};
	await queue.approvals.setFileRules({rules: [forJob], isWhole: true});
	return {
		...queue,
		home,
		forJob,
		change,
		ruleThatAllows,
		problem: () => queue.approvals.rules()[0]?.problem,
		async [Symbol.asyncDispose]() {
			await queue[Symbol.asyncDispose]();
			await rm(home, {recursive: true});
		},
	};
}

test('an entry is bound to the definition that its tool has when it is seen first; another one asks until a person accepts it', async () => {
	await using setup = await open();
	const {approvals, change, ruleThatAllows, problem} = setup;
	expect(problem()).toBe('no tool of that name was seen yet');
	await change(writes());
	expect(problem()).toBeUndefined();
	expect(await ruleThatAllows()).toBe(1);

	const other = writes({definition: 'd2', changed: true});
	await change(other);
	expect(problem()).toBe('the tool is defined otherwise now: svc approvals accept 1');
	expect(await ruleThatAllows({tool: other})).toBeUndefined();
	await expect(approvals.acceptRule(1, 'd3')).rejects.toMatchObject({code: 'approval_invalid'});
	expect(await approvals.acceptRule(9, 'd2')).toBeUndefined();
	expect(await approvals.acceptRule(1, 'd2')).toMatchObject({id: 1, definition: 'd2', uses: 1});
	expect(setup.allowed.at(-1)).toBe(other);
	expect(await ruleThatAllows({tool: other})).toBe(1);
	expect(setup.memory.rules.get(1)).toMatchObject({definition: 'd2', tool: 'write_file'});

	// Another program under the same name is another server.
	const moved = writes({definition: 'd2', endpoint: 'e2'});
	await change(moved);
	expect(problem()).toContain('its server is another program or address now');
	expect(await ruleThatAllows({tool: moved})).toBeUndefined();
});

test('it does not allow what has no sandbox, seen before or not, and says so', async () => {
	await using setup = await open();
	const {change, ruleThatAllows, problem} = setup;
	const why = 'no sandbox works here: bubblewrap is not on PATH';
	expect(await ruleThatAllows({tool: writes({why})})).toBeUndefined();
	await change(writes({why}));
	expect(problem()).toBe(`every call asks: ${why}`);
	expect(await ruleThatAllows({tool: writes({why})})).toBeUndefined();
	await change(writes());
	expect(await ruleThatAllows()).toBe(1);
});

test('what is not as it was when it was seen first binds nothing by itself', async () => {
	await using setup = await open();
	const changed = writes({changed: true});
	await setup.change(changed);
	expect(setup.problem()).toContain('is not defined as it was when it was seen first');
	expect(await setup.ruleThatAllows({tool: changed})).toBeUndefined();
	await setup.approvals.acceptRule(1, 'd1');
	expect(await setup.ruleThatAllows({tool: changed})).toBe(1);
});

test('a folder in the data directory of the program is told: such a rule would never allow anything', async () => {
	await using setup = await open();
	const {approvals, forJob, home, problem} = setup;
	await setup.change(writes());
	for (const folder of ['program', 'program/notes']) {
		const when = [{key: 'path', below: join(home, folder)}];
		await approvals.setFileRules({rules: [{...forJob, when}], isWhole: true});
		expect(problem()).toContain('is in the data directory of svc, which no rule opens');
		expect(await setup.ruleThatAllows({args: {path: join(home, folder, 'a.md')}})).toBeUndefined();
	}

	const when = [{key: 'path', below: join(home, 'programs')}];
	await approvals.setFileRules({rules: [{...forJob, when}], isWhole: true});
	expect(problem()).toBeUndefined();
});

test('a tool of a server that starts with its first call is met by that call', async () => {
	await using setup = await open();
	expect(await setup.ruleThatAllows()).toBe(1);
});

test('a definition that is written counts, and no other can be accepted', async () => {
	await using setup = await open({definition: 'd2'});
	await setup.change(writes());
	expect(await setup.ruleThatAllows()).toBeUndefined();
	await expect(setup.approvals.acceptRule(1, 'd1')).rejects.toThrow('write the new one there');
	const other = writes({definition: 'd2', changed: true});
	await setup.change(other);
	expect(await setup.ruleThatAllows({tool: other})).toBe(1);
});

test('without "when" it lets nothing through that may destroy, and lets through what says that it does not', async () => {
	await using setup = await open({when: undefined as never});
	await setup.change(writes());
	expect(setup.problem()).toBe('the tool may destroy: it needs "when"');
	expect(await setup.ruleThatAllows()).toBeUndefined();
	const silent = writes({claims: {}});
	await setup.change(silent);
	expect(await setup.ruleThatAllows({tool: silent})).toBeUndefined();
	const harmless = writes({claims: {destructive: false}});
	await setup.change(harmless);
	expect(await setup.ruleThatAllows({tool: harmless})).toBe(1);
});

test('a rule ends with its entry, at once, and comes back as a new one; while the file cannot be read it only rests', async () => {
	await using setup = await open();
	await setup.change(writes());
	const gone = setup.approvals.setFileRules({rules: [], isWhole: false});
	expect(setup.approvals.rules()).toEqual([]);
	await gone;
	expect(await setup.ruleThatAllows()).toBeUndefined();
	await setup.approvals.setFileRules({rules: [setup.forJob], isWhole: true});
	expect(setup.approvals.rules()).toMatchObject([{id: 1, definition: 'd1'}]);

	await setup.approvals.setFileRules({rules: [], isWhole: true});
	expect([...setup.memory.rules.keys()]).toEqual([]);
	await setup.approvals.setFileRules({rules: [setup.forJob], isWhole: true});
	expect(setup.approvals.rules()).toMatchObject([{id: 2}]);
});

test('it is for the runs of its job alone, and not for what an event fired', async () => {
	await using setup = await open();
	await setup.change(writes());
	const job = {id: 'job_1', name: 'nightly'};
	for (const run of [
		makeAskingRun({origin: {kind: 'delivery', route: 'gh-review', delivery: 'abc123', job}}),
		makeAskingRun({origin: {kind: 'person'}}),
		makeAskingRun({origin: {kind: 'job', job: {id: 'job_2', name: 'other'}}}),
		makeAskingRun({origin: {kind: 'delivery', route: 'nightly', delivery: 'abc123'}}),
	]) {
		// oxlint-disable-next-line no-await-in-loop -- one request after the other
		expect(await setup.ruleThatAllows({run})).toBeUndefined();
	}

	expect(await setup.ruleThatAllows()).toBe(1);
	await expect(setup.approvals.revoke(1)).rejects.toThrow('it stands in config.yaml:3');
});

test('keys: every path of a list, members of its own, and no argument that the schema does not name', async () => {
	await using setup = await open();
	const {home} = setup;
	const at = (path: string) => join(home, path);
	const cases: ReadonlyArray<readonly [FileRule['when'], CallToApprove['args'], boolean]> = [
		[[{key: 'paths', below: at('notes')}], {paths: [at('notes/a'), at('notes/b')]}, true],
		[[{key: 'paths', below: at('notes')}], {paths: [at('notes/a'), at('b')]}, false],
		[[{key: 'paths', below: at('notes')}], {paths: []}, false],
		[[{key: 'paths', below: at('notes')}], {paths: [[at('notes/a')]]}, false],
		[[{key: 'paths', below: at('notes')}], {paths: {0: at('notes/a')}}, false],
		[[{key: 'path', below: at('notes')}], {path: null}, false],
		[[{key: 'path', below: at('notes')}], {}, false],
		[[{key: 'path', below: at('notes')}], [at('notes/a')], false],
		[[{key: 'path', below: at('notes')}], {path: at('notes/a'), mode: 'anything'}, true],
		[[{key: 'path', below: at('notes')}], {path: at('notes/a'), Path: at('b')}, false],
		[
			[{key: 'path', below: at('notes')}],
			JSON.parse(`{"path": "${at('notes/a')}", "__proto__": 1}`),
			false,
		],
		[[{key: '__proto__', equals: 1}], {}, false],
		[[{key: 'path', below: at('')}], {path: at('program/config.yaml')}, false],
		[
			[{key: 'edits.path', below: at('notes')}],
			{edits: [{path: at('notes/a')}, {path: at('notes/b')}]},
			true,
		],
		[[{key: 'edits.path', below: at('notes')}], {edits: [{path: at('notes/a')}, {}]}, false],
		[[{key: 'edits.path', below: at('notes')}], {edits: []}, false],
		[[{key: 'mode', equals: 'a'}], {mode: 'a', path: '/anything'}, true],
		[[{key: 'mode', equals: ['a']}], {mode: ['a']}, true],
		[[{key: 'mode', equals: ['a']}], {mode: 'a'}, false],
		[[{key: 'mode', equals: 1}], {mode: '1'}, false],
		[[{key: 'mode', equals: null}], {}, false],
		[
			[
				{key: 'mode', equals: 'a'},
				{key: 'path', below: at('notes')},
			],
			{mode: 'b', path: at('notes/a')},
			false,
		],
	];
	for (const [when, args, isAllowed] of cases) {
		const rules = [{...setup.forJob, ...(when && {when})}];
		// oxlint-disable-next-line no-await-in-loop -- one rule after the other
		await setup.approvals.setFileRules({rules, isWhole: true});
		// oxlint-disable-next-line no-await-in-loop -- see above
		const rule = await setup.ruleThatAllows({args});
		expect([when, args, rule !== undefined]).toEqual([when, args, isAllowed]);
	}
});
