import {mkdir, readdir} from 'node:fs/promises';
import {Command} from 'commander';
import {expect, test} from 'vitest';
import {addCommands} from '../../../source/cli/commands/commands.ts';
import {completeWords, nounOfArgument} from '../../../source/cli/completion/complete.ts';
import type {Context} from '../../../source/cli/console/context.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {gatewayHome, startTestGateway} from '../../helpers/gateway.ts';
import {makeFormApproval, makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {type TemporaryHome, temporaryHome} from '../../helpers/temporary-home.ts';
import {command, serveControl} from '../command.ts';

const program = new Command('svc').option('-p, --profile <name>', 'a profile');
addCommands(program, {clock: systemClock} as Context);

const offered = (...words: readonly string[]) => {
	const {candidates, begun, noun} = completeWords(program, words);
	return {
		values: candidates.map(({value}) => value).filter(value => value.startsWith(begun)),
		noun,
	};
};

test.each([
	[['gro'], ['groups'], undefined],
	[['webhook', 're'], ['recover', 'remove', 'rename', 'resume'], undefined],
	[['runs', 'list', '--state', 'unc'], ['uncertain'], undefined],
	[['runs', 'list', '--state', 'done', 'que'], ['queued'], undefined],
	[['runs', 'list', '--state=que'], ['queued'], undefined],
	[['usage', '--by', ''], ['job', 'key', 'model', 'route'], undefined],
	[['runs', 'list', '--ro'], ['--route'], undefined],
	[['runs', 'list', '--route', ''], [], 'route'],
	[['runs', 'list', '--route', 'x', '--js'], ['--json'], undefined],
	[['runs', 'list', '--json', '--js'], [], undefined],
	[['webhook', 'pause', ''], [], 'route'],
	[['-p', 'work', 'mcp', 'test', ''], [], 'server'],
	[['-p', ''], [], 'profile'],
	[['mcp', 'add', ''], [], undefined],
	[['mcp', 'login', '--flow', 'd'], ['device'], undefined],
	[['cron', 'show', ''], [], 'job'],
	[['skills', 'show', ''], [], 'skill'],
	[['deliveries', 'show', ''], [], 'delivery'],
	[['deliveries', 'replay', 'x', '--body-file', ''], [], 'file'],
	[['groups', 'dispatch', ''], [], 'group'],
	[['approvals', 'allow', ''], [], 'approval'],
	[['approvals', 'revoke', ''], [], 'rule'],
	[['keys', 'rotate', ''], [], 'key'],
	[['restore', ''], [], 'file'],
	[['completion', 'z'], ['zsh'], undefined],
	[['explain', ''], [], 'code'],
	[['nowhere', ''], [], undefined],
	[['runs', 'show', '--', '--j'], [], 'run'],
] as const)('behind %j: %j, or a %s', (words, values, noun) => {
	const found = offered(...words);
	expect({...found, values: found.values.toSorted()}).toEqual({values, noun});
});

test('what is hidden is not offered, and every command of the tree is', () => {
	expect(offered('').values.filter(value => value.startsWith('_'))).toEqual([]);
	expect(offered('gateway', 'run', '--').values).not.toContain('--until-started');
	for (const group of program.commands.filter(({commands}) => commands.length > 0)) {
		expect(offered(group.name(), '').values).toEqual(
			expect.arrayContaining(group.commands.map(one => one.name()).filter(name => name !== 'help')),
		);
	}
});

/** Words that any text may be. */
const free = new Set([
	'mcp add name',
	'mcp add command',
	'open link',
	'mcp install link',
	'webhook rename new-name',
	'sessions search words',
	'talk text',
	'mcp call tool',
	'mcp call json',
]);

test('every argument of a command names something that is completed, has choices, or is known to be any text', () => {
	const strange = program.commands.flatMap(function walk(one): readonly string[] {
		const path = wordsOf(one);
		return [
			...one.registeredArguments
				.filter(
					argument =>
						!argument.argChoices &&
						!path[0]?.startsWith('__') &&
						!free.has([...path, argument.name()].join(' ')) &&
						nounOfArgument(path, argument.name()) === undefined,
				)
				.map(argument => [...path, argument.name()].join(' ')),
			...one.commands.flatMap(walk),
		];
	});
	expect(strange).toEqual([]);
});

const wordsOf = (one: Command): readonly string[] =>
	one.parent ? [...wordsOf(one.parent), one.name()] : [];

const lines = async (home: TemporaryHome, ...words: readonly string[]) => {
	const {code, stdout, stderr} = await command(['__complete', '--', ...words], {home: home.path});
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	return stdout.split('\n').slice(0, -1);
};

test('names come from the files as they stand, also from those that no gateway would start with; nothing is written', async () => {
	await using home = await temporaryHome({
		'config.yaml':
			'platforms:\n  webhook:\n    port: none\n    extra:\n      routes:\n        fixed: {prompt: x}\nmcp_servers:\n  crm: {}\n',
		'webhook_subscriptions.json': JSON.stringify({
			push: {description: 'What was\u001B[31m pushed'},
			'bad\nname': {},
			'\u001B[2Jclear': {},
		}),
		'cron/jobs.json': JSON.stringify({jobs: [{id: 'abc12345', name: 'My digest'}]}),
	});
	await mkdir(home.file('profiles/work/run'), {recursive: true});
	const before = (await readdir(home.path, {recursive: true})).toSorted();

	const routes = await lines(home, 'webhook', 'pause', '');
	expect(routes.map(line => line.split('\t')[0])).toEqual(['fixed', 'push']);
	expect(routes.join('')).not.toContain('\u001B');
	expect(await lines(home, 'runs', 'list', '--route=pu')).toEqual([
		expect.stringMatching(/^--route=push\t/),
	]);
	expect(await lines(home, 'mcp', 'test', '')).toEqual(['crm']);
	expect(await lines(home, 'cron', 'show', String.raw`My\ d`)).toEqual(['My digest\tabc12345']);
	expect(await lines(home, 'cron', 'show', 'abc')).toEqual(['abc12345\tMy digest']);
	expect(await lines(home, '-p', 'w')).toEqual(['work']);
	expect(await lines(home, '-p', 'work', 'mcp', 'test', '')).toEqual([]);
	expect(await lines(home, 'webhook', 'subscribe', 'x', '--deliver', 'e')).toEqual(['email']);
	expect(await lines(home, 'deliveries', 'import', '')).toEqual([':file']);
	expect(await lines(home, 'runs', 'show', '')).toEqual([]);
	expect((await readdir(home.path, {recursive: true})).toSorted()).toEqual(before);

	await home.write('config.yaml', 'platforms: [');
	await home.write('webhook_subscriptions.json', '{');
	expect(await lines(home, 'webhook', 'pause', '')).toEqual([]);
});

test('what waits and what stands is asked of the gateway', async () => {
	await using home = await temporaryHome();
	const asks = makeToolApproval({id: 7, tool: makeShownTool({tool: 'create\u001B[2J_issue'})});
	await using _ = await serveControl(
		home.path,
		createFakePort({approvals: [asks, makeFormApproval({id: 9})]}),
	);

	expect(await lines(home, 'approvals', 'allow', '')).toEqual([
		expect.stringMatching(/^7\tcreate.*_issue waits$/),
		'9\ta form waits',
	]);
	expect((await lines(home, 'approvals', 'deny', '')).join('')).not.toContain('\u001B');
});

test('what has numbers is read from the journal, while a gateway runs and after it', async () => {
	await using home = await gatewayHome({subscriptions: {push: {prompt: 'x', deliver: 'log'}}});
	const ask = async () => [
		...(await lines(home, 'runs', 'show', '')),
		...(await lines(home, 'deliveries', 'show', '')),
	];
	const expected = ['1\tpush done', expect.stringMatching(/^\w+\tpush \S+ accepted$/)];
	{
		await using gateway = await startTestGateway({home});
		await gateway.send('push', {a: 1});
		await gateway.ended(1);
		expect(await ask()).toEqual(expected);
	}

	const before = (await readdir(home.path, {recursive: true})).toSorted();
	expect(await ask()).toEqual(expected);
	expect((await readdir(home.path, {recursive: true})).toSorted()).toEqual(before);
});
