// @module-tag slow
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';

const everything = officialProgram('everything');

const prompt = [
	'/tool mcp__every__toggle_simulated_logging {}',
	'/tool mcp__every__toggle_simulated_logging {}',
	'/tool mcp__every__echo {"message": "free"}',
].join('\n');

const options = {
	config: {
		mcp_servers: {
			every: {command: process.execPath, args: [everything, 'stdio'], trust: 'untrusted'},
		},
	},
	subscriptions: {hook: {prompt}},
};

const answerOf = {choice: 'allow', typedName: 'toggle-simulated-logging'} as const;

test('"every tool call whose tool lacks the annotation readOnlyHint: true needs user approval before running"', async () => {
	await using gateway = await startTestGateway(options);
	await gateway.send('hook', {});
	const {approvals, runs} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	const runId = runs[0]?.id ?? 0;

	expect(approvals).toMatchObject([
		{kind: 'tool', run: runId, route: 'hook', tool: {tool: 'toggle-simulated-logging'}, args: {}},
	]);
	const kinds = (await gateway.port.getRun(runId))?.transcript.map(({kind}) => kind);
	expect(kinds).not.toContain('tool-result');
	await gateway.port.settleApproval(approvals[0]?.id ?? 0, {
		answer: {...answerOf, scope: 'run'},
		by: 'cli',
	});

	const run = await gateway.ended(runId);
	const results = run.transcript.filter(({kind}) => kind === 'tool-result');
	expect(run.state).toBe('done');
	// The one that needs nobody's yes need not wait for the others.
	expect(
		results.map(({data}) => JSON.stringify([data?.['tool'], data?.['approval']])).toSorted(),
	).toEqual([
		'["mcp__every__echo",null]',
		expect.stringMatching(/^\["mcp__every__toggle_simulated_logging","allowed by cli \(.+\)"\]$/),
		expect.stringMatching(/^\["mcp__every__toggle_simulated_logging","allowed by rule \d+"\]$/),
	]);
	expect(results.every(({data}) => data?.['ok'] === true)).toBe(true);
	// "run rules end with the run"
	expect(await gateway.port.listApprovalRules()).toEqual([]);
});

test('"every other way out is a denial": a no goes to the model, and the run goes on without the call', async () => {
	await using gateway = await startTestGateway(options);
	await gateway.send('hook', {});
	const first = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	await gateway.port.settleApproval(first.approvals[0]?.id ?? 0, {
		answer: {choice: 'deny', reason: 'not today'},
		by: 'cli',
	});
	const second = await gateway.until(
		({approvals: [waiting]}) => waiting !== undefined && waiting.id !== first.approvals[0]?.id,
	);
	await gateway.port.settleApproval(second.approvals[0]?.id ?? 0, {
		answer: {choice: 'deny'},
		by: 'cli',
	});

	const run = await gateway.ended(first.runs[0]?.id ?? 0);
	expect(run.state).toBe('done');
	expect(
		run.transcript.filter(({data}) => data?.['denied'] === true).map(({text}) => text),
	).toEqual(['approval_denied: not today', 'approval_denied']);
});

test('a run that waits for a person holds no other run up', async () => {
	await using gateway = await startTestGateway({
		config: {...options.config, runs: {concurrency: 1}},
		subscriptions: {hook: {prompt}, other: {prompt: 'say something'}},
	});
	await gateway.send('hook', {});
	const {approvals, runs} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	const waiting = runs[0]?.id ?? 0;
	await gateway.send('other', {});
	expect(await gateway.ended(waiting + 1)).toMatchObject({route: 'other', state: 'done'});

	await gateway.port.settleApproval(approvals[0]?.id ?? 0, {
		answer: {...answerOf, scope: 'run'},
		by: 'cli',
	});
	expect(await gateway.ended(waiting)).toMatchObject({route: 'hook', state: 'done'});
});

test('a run that is cancelled takes its request along', async () => {
	await using gateway = await startTestGateway(options);
	await gateway.send('hook', {});
	const {approvals, runs} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	await gateway.port.cancelRun(runs[0]?.id ?? 0);

	const {settledApprovals} = await gateway.until(({settledApprovals: [one]}) => one !== undefined);
	expect(settledApprovals).toMatchObject([
		{id: approvals[0]?.id, decision: {outcome: 'cancelled', by: 'gateway'}},
	]);
	expect((await gateway.ended(runs[0]?.id ?? 0)).state).toBe('cancelled');
});

test('a gateway that stops denies what waits, and its run asks again after the next start', async () => {
	await using home = await gatewayHome(options);
	let id = 0;
	{
		await using gateway = await startTestGateway({home});
		await gateway.send('hook', {});
		const {approvals} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
		id = approvals[0]?.id ?? 0;
	}

	await using again = await startTestGateway({home});
	const {approvals, settledApprovals} = await again.until(
		({approvals: [waiting]}) => waiting !== undefined,
	);
	expect(settledApprovals).toMatchObject([{id, decision: {outcome: 'shutdown'}}]);
	expect(approvals[0]?.id).toBeGreaterThan(id);
});

test('"first answer wins": two faces that are attached answer at once, and exactly one is heard', async () => {
	await using gateway = await startTestGateway({
		...options,
		subscriptions: {hook: {prompt: '/tool mcp__every__toggle_simulated_logging {}'}},
	});
	const at = {socket: gateway.paths.socket};
	await using one = await connectGateway({clock: systemClock}, at);
	await using other = await connectGateway({clock: systemClock}, at);
	await gateway.send('hook', {});
	const {approvals} = await gateway.until(({approvals: [waiting]}) => waiting !== undefined);
	const id = approvals[0]?.id ?? 0;
	const [first, second] = await Promise.all([
		one.settleApproval(id, {answer: {...answerOf, scope: 'once'}, by: 'one'}),
		other.settleApproval(id, {answer: {choice: 'deny'}, by: 'other'}),
	]);
	expect([first.settled, second.settled].filter(Boolean)).toHaveLength(1);
	// Whoever came second hears how it was settled.
	expect(first.approval?.decision).toEqual(second.approval?.decision);
	await gateway.ended(1);
	expect(gateway.port.getState().settledApprovals).toMatchObject([
		{id, decision: {outcome: first.settled ? 'allowed' : 'denied'}},
	]);
});
