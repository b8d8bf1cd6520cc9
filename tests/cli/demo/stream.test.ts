import {expect, test} from 'vitest';
import {nextAnswer} from '../../../source/cli/demo/demo-server.ts';
import {demoFiles} from '../../../source/cli/demo/open-demo.ts';
import {mayPlay} from '../../../source/cli/demo/play-traffic.ts';
import {fillTemplate, recordedDay, scenes} from '../../../source/cli/demo/recording.ts';
import {isJsonObject} from '../../../source/core/json.ts';
import {initialState} from '../../../source/core/state.ts';
import {makeRun} from '../../helpers/make.ts';

const {config} = demoFiles({
	origin: 'http://127.0.0.1:1',
	client: '/tmp/client',
	lately: '2026-01-01T00:00:00.000Z',
});

/** Three rounds of the traffic. */
const someScenes = () => scenes().take(60).toArray();

test('every address of the configuration is one of this machine', () => {
	const hosts = [...JSON.stringify(config).matchAll(/https?:\/\/([^/":]+)/g)].map(
		([, host]) => host,
	);

	expect(hosts.length).toBeGreaterThan(2);
	expect([...new Set(hosts)]).toEqual(['127.0.0.1']);
});

test('events go to routes that there are, but for one', () => {
	const {routes} = JSON.parse(JSON.stringify(config)).platforms.webhook;
	const sendings = [
		...recordedDay.flatMap(({sends}) => sends),
		...someScenes().flatMap(({sends}) => sends),
	];

	expect([...new Set(sendings.map(({route}) => route))].filter(route => !routes[route])).toEqual([
		'gh-old',
	]);
	expect(Object.keys(routes).filter(name => !sendings.some(({route}) => route === name))).toEqual(
		[],
	);
});

test('the day goes forward, and identifiers of rounds differ', () => {
	const times = recordedDay.map(({ago}) => ago);
	expect(times).toEqual(times.toSorted((one, other) => other - one));

	const identifiers = someScenes().flatMap(({sends}) =>
		new Set(sends.map(({payload}) => isJsonObject(payload) && payload['id']).filter(Boolean))
			.values()
			.toArray(),
	);
	expect(identifiers.length).toBeGreaterThan(2);
	expect(new Set(identifiers).size).toBe(identifiers.length);
});

test('every word of the recording is filled in, and a number stays one', () => {
	const all = JSON.stringify([recordedDay, someScenes()]);
	expect(all.match(/\{\w+\}/g)).toBeNull();
	expect(all).toContain('"number":419,"pull_request"');
	expect(new Set(recordedDay.map(({answer}) => answer))).toEqual(
		new Set([undefined, 'allow', 'deny', 'open']),
	);
	expect(fillTemplate({one: ['{n}', 'no. {n}', '{other}']}, {n: 1})).toEqual({
		one: [1, 'no. 1', '{other}'],
	});
});

const withRuns = (runs: ReadonlyArray<Parameters<typeof makeRun>[0]>) => ({
	getState: () => ({...initialState, runs: runs.map(run => makeRun(run))}),
});

test('no more than three runs are under way where another one could ask', () => {
	const asking = someScenes().find(({asks}) => asks);
	const other = someScenes().find(({asks}) => !asks);
	if (!asking || !other) {
		throw new Error('there is no such scene');
	}

	const running = (count: number) =>
		withRuns(Array.from({length: count}, (_, id) => ({id, state: 'running' as const})));
	expect([2, 3].map(count => mayPlay(asking, running(count)))).toEqual([true, false]);
	expect([5, 6].map(count => mayPlay(other, running(count)))).toEqual([true, false]);
});

test('of the runs that wait for a login there is one', () => {
	const lead = someScenes().find(({sends}) => sends.some(({route}) => route === 'leads'));
	if (!lead) {
		throw new Error('there is no such scene');
	}

	expect(mayPlay(lead, withRuns([]))).toBe(true);
	expect(mayPlay(lead, withRuns([{id: 1, route: 'leads', state: 'queued'}]))).toBe(false);
});

test('the model answers by what the prompt says, step by step, and ends', () => {
	const prompt = 'File a follow-up to issue 94 for what mona asks: resume after a restart';
	expect(nextAnswer(prompt, 0)).toMatchObject({tool: 'mcp__tracker__get_issue'});
	expect(nextAnswer(prompt, 1)).toMatchObject({
		args: {title: 'Resume uploads after a restart'},
	});
	expect(nextAnswer(prompt, 2)).toEqual({text: 'The follow-up is filed.'});
	expect(nextAnswer(prompt, 3)).toEqual({text: 'The follow-up is filed.'});
	expect(nextAnswer('Anything that a reviewer should know?', 0)).toMatchObject({
		text: expect.stringContaining('One tag'),
	});
	expect(nextAnswer('Write the announcement', 0)).toHaveProperty('refusal');
});
