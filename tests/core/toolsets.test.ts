import {expect, test} from 'vitest';
import type {Tool} from '../../source/core/tool.ts';
import {selectTools as select, serverToolset, type Toolset} from '../../source/core/toolsets.ts';
import {createTool} from '../agent/agent-fixture.ts';

const search = createTool({name: 'search'});
const read = createTool({name: 'read'});
const send = createTool({name: 'send'});
const servers = new Map([
	['crm', [search, read]],
	['mail', [send]],
]);

const selectTools = (
	names: readonly string[] | undefined,
	given: ReadonlyMap<string, readonly Tool[]>,
	own: readonly Toolset[] = [],
) => select(names, [...[...given].map(serverToolset), ...own]);

const unknown = (name: string) => `Toolset "${name}" was dropped: there is none of that name`;

test.for([
	{what: 'no names: the default, every tool server', names: undefined, tools: [search, read, send]},
	{what: 'an empty list: nothing', names: [], tools: []},
	{what: 'svc-webhook', names: ['svc-webhook'], tools: [search, read, send]},
	{what: 'mcp', names: ['mcp'], tools: [search, read, send]},
	{what: 'one server', names: ['mcp-mail'], tools: [send]},
	{what: 'each tool once', names: ['mcp-mail', 'mcp', 'mcp-mail'], tools: [send, search, read]},
	{
		what: 'unknown names are dropped with a warning',
		names: ['everything', 'constructor', 'mcp-mail'],
		tools: [send],
		warnings: [unknown('everything'), unknown('constructor')],
	},
	{
		what: 'a server that does not exist',
		names: ['mcp-nope'],
		tools: [],
		warnings: ['Toolset "mcp-nope" was dropped: no tool server "nope" gives tools'],
	},
])('$what', ({names, tools, warnings = []}) => {
	expect(selectTools(names, servers)).toEqual({tools, warnings});
});

test("svc's own toolsets come by their names alone, and one that a run does not get says why", () => {
	const fetch = createTool({name: 'web_fetch'});
	const own = [
		{name: 'web', isOfServer: false, tools: [fetch]},
		{name: 'terminal', isOfServer: false, tools: [], dropped: 'no sandbox works here'},
	];
	expect(selectTools(undefined, servers, own).tools).not.toContain(fetch);
	expect(selectTools(['mcp', 'svc-webhook'], servers, own).tools).not.toContain(fetch);
	expect(selectTools(['web', 'terminal', 'mcp-mail'], servers, own)).toEqual({
		tools: [fetch, send],
		warnings: ['Toolset "terminal" was dropped: no sandbox works here'],
	});
});

test('of two tools of one name the later one is dropped with a warning', () => {
	const other = createTool({name: 'search', description: 'Another'});

	const {tools, warnings} = selectTools(undefined, new Map([...servers, ['web', [other]]]));

	expect(tools).toEqual([search, read, send]);
	expect(warnings).toEqual(['Tool "search" was dropped: another one has that name']);
});

test('nothing is left out, however many there are', () => {
	const many = Array.from({length: 1000}, (_, index) => createTool({name: `mcp__a__${index}`}));

	expect(selectTools(undefined, new Map([['a', many]]))).toEqual({tools: many, warnings: []});
});
