import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {deferTools} from '../../source/agent/deferred-tools.ts';
import {schemaTokens} from '../../source/core/deferral.ts';
import type {Tool} from '../../source/core/tool.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {createAgent, createTool} from './agent-fixture.ts';
import {serverTool} from './tool-world.ts';

const many = (count: number, tool: Partial<Tool> & {readonly description?: string} = {}) =>
	Array.from({length: count}, (_, index) => serverTool('crm', `t${index}`, tool));

const deferred = (tools: readonly Tool[], maxSchemaTokens = 20_000) => {
	const made = deferTools(tools, maxSchemaTokens);
	if (!made) {
		throw new Error('nothing is deferred');
	}

	return made;
};

const name = (index: number) => `mcp__crm__t${index}`;

test('128 tools within the tokens are not deferred; one more, or a token more, and all of servers are', () => {
	const few = many(128);
	const tokens = few.reduce((sum, tool) => sum + schemaTokens(tool), 0);

	expect(deferTools(few, tokens)).toBeUndefined();
	expect(deferTools(few, tokens - 1)?.count).toBe(128);
	expect(deferTools(many(129), 1_000_000)?.count).toBe(129);
	// Its own alone cannot be deferred.
	expect(deferTools([createTool()], 0)).toBeUndefined();
});

test('tools of its own stay, behind them tool_search, then what is loaded, in its order', () => {
	const own = createTool({name: 'activate_skill'});
	const tools = deferred([
		...many(100),
		own,
		...many(100).map(tool => ({...tool, name: `x${tool.name}`})),
	]);

	expect(tools.active()).toEqual(['activate_skill', 'tool_search']);
	tools.load([name(5), name(3)]);
	tools.called([name(9)]);
	tools.load([name(3), name(1)]);
	tools.called(['tool_search', 'nothing', 'activate_skill']);
	expect(tools.active().slice(2)).toEqual([5, 3, 9, 1].map(name));
});

test('when it is full, those go that were named longest ago, first those that were never called', () => {
	const size = schemaTokens(many(1, {description: 'x'.repeat(800)})[0] ?? createTool());
	const base = deferred(many(200, {description: 'x'.repeat(800)}), 20_000);
	const searchTokens = schemaTokens(base.tools.at(-1) ?? createTool());
	// Room for 20, some of which are a token larger.
	const tools = deferred(many(200, {description: 'x'.repeat(800)}), searchTokens + 20 * size + 60);
	tools.load(Array.from({length: 10}, (_, index) => name(index)));
	tools.load(Array.from({length: 10}, (_, index) => name(10 + index)));
	tools.called([name(0), name(12)]);
	tools.load([name(1), name(50), name(51)]);

	expect(tools.active().slice(1)).toEqual(
		[0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 50, 51].map(name),
	);
});

test('of what is loaded at once, the first is loaded whatever its size, and what does not fit beside it is not', () => {
	const tools = deferred(many(3, {description: 'x'.repeat(200_000)}), 20_000);

	expect(tools.load([name(2), name(1)])).toEqual([name(2)]);
	expect(tools.load([name(1)])).toEqual([name(1)]);
	expect(tools.active()).toEqual(['tool_search', name(1)]);
});

test('however tools are loaded and called: at most 128, within the tokens, the last ones among them, the rest in its order', () => {
	const tools = Array.from({length: 300}, (_, index) =>
		serverTool('crm', `t${index}`, {description: 'd'.repeat((index * 37) % 700)}),
	);
	const tokensOf = new Map(tools.map(tool => [tool.name, schemaTokens(tool)]));
	fc.assert(
		fc.property(
			fc.array(
				fc.record({
					calls: fc.boolean(),
					which: fc.array(fc.integer({min: 0, max: 299}), {minLength: 1, maxLength: 10}),
				}),
				{maxLength: 60},
			),
			fc.constantFrom(6000, 20_000, 1_000_000),
			(steps, limit) => {
				const made = deferred(tools, limit);
				for (const {calls, which} of steps) {
					const before = made.active();
					const names = which.map(name);
					const there = calls ? made.called(names) : made.load(names);
					expect(there ?? [...new Set(names)]).toEqual([...new Set(names)]);

					const after = made.active();
					const tokens = after.reduce((sum, one) => sum + (tokensOf.get(one) ?? 0), 0);
					expect(after.length).toBeLessThanOrEqual(128);
					expect(tokens).toBeLessThanOrEqual(limit);
					expect(after).toEqual(expect.arrayContaining(names));
					const stayed = before.filter(one => after.includes(one));
					expect(after.slice(0, stayed.length)).toEqual(stayed);
				}
			},
		),
	);
});

const namesSent = (
	request: {readonly body: {readonly tools: ReadonlyArray<{function: {name: string}}>}} | undefined,
) => request?.body.tools.map(tool => tool.function.name);

test('the first request has tool_search alone; what a search finds, and what is called by name, is in the next', async () => {
	await using model = await startScriptedModel([
		{toolCalls: [{name: 'tool_search', arguments: {query: 'mcp__crm__t7', limit: 1}}]},
		{
			toolCalls: [
				{name: name(7), arguments: {}},
				{name: name(8), arguments: {}},
			],
		},
		{toolCalls: [{name: 'no_such', arguments: {}}]},
		{text: 'Done'},
	]);
	await using agent = createAgent({
		baseUrl: model.baseUrl,
		approve: async ({tool}) => ({allowed: tool.name === name(7), reason: 'by a test'}),
	});
	const metered: number[] = [];

	const {answer} = await agent.ask('?', {
		tools: many(1000, {needsApproval: true}),
		beforeStep(tokens) {
			metered.push(tokens);
			return undefined;
		},
	});

	expect(answer).toBe('Done');
	expect(model.requests.map(namesSent)).toEqual([
		['tool_search'],
		['tool_search', name(7)],
		['tool_search', name(7), name(8)],
		['tool_search', name(7), name(8)],
	]);
	expect(JSON.stringify(model.requests[0]?.body.tools).length / 4).toBeLessThan(2000);
	// Only what is sent is counted.
	expect(metered[0]).toBeLessThan(2000);
	expect(JSON.stringify(model.requests[3]?.body.messages.at(-1))).toContain(
		'There is no tool \\"no_such\\": this run has tool_search, mcp__crm__t7, mcp__crm__t8; tool_search finds 1000 more',
	);
	expect(agent.story()).toEqual([
		'note: 1,000 tools, all of them deferred (a request takes 128): the model finds them with tool_search',
		expect.stringContaining('tool-call: '),
		expect.stringContaining('tool-result: Found 1 of 1,000 deferred tools.'),
		'tool-call: {}',
		'tool-call: {}',
		'tool-result: by a test',
		'tool-result: found',
		'tool-call: {}',
		expect.stringContaining('There is no tool "no_such"'),
		'text: Done',
	]);
	expect(agent.entries[0]?.data).toMatchObject({tools: 1000});
});

test('what is not too much is sent as it is', async () => {
	await using model = await startScriptedModel([{text: 'Done'}]);
	await using agent = createAgent({baseUrl: model.baseUrl});

	await agent.ask('?', {tools: many(3)});

	expect(namesSent(model.requests[0])).toEqual([0, 1, 2].map(name));
});

test('lines of the offline model call a deferred tool', async () => {
	await using agent = createAgent();

	const {answer} = await agent.ask(`/tool ${name(7)} {}\n/tool ${name(8)} {}`, {tools: many(300)});

	expect(answer).toContain(`Tool ${name(7)} answered: found`);
	expect(answer).toContain(`Tool ${name(8)} answered: found`);
});
