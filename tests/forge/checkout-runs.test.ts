import {
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {bwrapArguments} from '../../source/tools/sandbox/bwrap-arguments.ts';
import {sandboxPlan, withCheckout} from '../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../source/tools/sandbox/probe-sandbox.ts';
import {seatbeltProfile} from '../../source/tools/sandbox/seatbelt-profile.ts';
import {systemWorld} from '../../source/tools/sandbox/system-world.ts';
import {installForgeClient, type ForgeClient, tokenOfClient} from '../helpers/forge-client.ts';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {isOnPath, need} from '../helpers/need.ts';
import {post} from '../helpers/post.ts';
import {until} from '../helpers/processes.ts';
import {
	type ScriptedAnswer,
	type ScriptedModel,
	startScriptedModel,
} from '../helpers/scripted-model.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {openToolset} from '../tools/open-toolset.ts';
import {type GitHost, openGitHost} from './git-host.ts';

const probe = await probeSandbox(process.env);
const stack = new AsyncDisposableStack();
let forge: GitHost;
let client: ForgeClient;
let model: ScriptedModel;
let gateway: TestGateway;
let work: TemporaryHome;
let head: string;
/** What the model does next; then it answers. */
let script: ScriptedAnswer[] = [];

const configOf = (more: JsonObject = {}): JsonObject => ({
	model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
	runs: {tries: 2},
	toolsets: {
		terminal: {approval: 'allow', workdir: work.file('shared')},
		file: {approval: 'allow', workdir: work.file('shared')},
	},
	...more,
});

const review = {prompt: 'Review {number}', prefetch: ['checkout'], rate_limit: 1000};

beforeAll(async () => {
	if (!isOnPath('git') || !isOnPath('openssl')) {
		return;
	}

	forge = stack.use(await openGitHost(tokenOfClient));
	client = stack.use(await installForgeClient());
	work = stack.use(await temporaryHome());
	model = stack.use(
		await startScriptedModel([], {otherwise: () => script.shift() ?? {text: 'Reviewed'}}),
	);
	await client.serveDiffs({'acme/api#7': 'diff --git a/x b/x\n'});
	head = forge.serve(
		7,
		forge.tree([{mode: '100644', name: 'README.md', id: forge.blob('from the head\n')}]),
	);
	gateway = stack.use(
		await startTestGateway({
			config: configOf(),
			subscriptions: {
				review: {...review, toolsets: ['terminal', 'file']},
				both: {...review, prefetch: ['diff', 'checkout'], toolsets: ['file']},
				'no-tools': review,
				'no-toolsets': {...review, toolsets: []},
			},
			environment: environment(),
		}),
	);
});

const environment = () => ({
	PATH: client.path,
	GH_HOST: forge.host,
	SSL_CERT_FILE: forge.authority,
});

beforeEach(context => {
	need('git', context);
	need('openssl', context);
	if (!probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
	}

	script = [];
});

afterAll(async () => stack.disposeAsync());

const eventOf = (more: JsonObject = {}): JsonObject => ({
	action: 'opened',
	number: 7,
	pull_request: {number: 7, head: {sha: head}},
	repository: {full_name: 'acme/api', clone_url: 'https://evil.example/acme/api.git'},
	...more,
});

const call = (name: string, given: JsonObject): ScriptedAnswer => ({
	toolCalls: [{name, arguments: given}],
});

let runs = 0;

/** What becomes of an event, and what the tools answered. */
async function runOf(route: string, payload: JsonObject = eventOf()) {
	const asked = model.requests.length;
	const {status} = await gateway.send(route, payload, {'x-github-event': 'pull_request'});
	expect(status).toBe(202);
	runs += 1;
	await gateway.gateway.idle();
	const run = await gateway.port.getRun(runs);
	const requests = model.requests.slice(asked);
	const messages: ReadonlyArray<{role: string; content: unknown}> =
		requests.at(-1)?.body.messages ?? [];
	return {
		run,
		requests,
		prompt: messages.find(({role}) => role === 'user')?.content,
		answers: messages.filter(({role}) => role === 'tool').map(({content}) => String(content)),
		tools: (requests[0]?.body.tools ?? []) as ReadonlyArray<{
			function: {name: string; description: string};
		}>,
		notes: run?.transcript.filter(({kind}) => kind === 'note').map(({text}) => text) ?? [],
	};
}

const checkouts = () => readdirSync(join(gateway.home.path, 'checkouts'));

test('an event brings the files of the head commit: both toolsets work in them, alone, and nothing is left of them after the run', async () => {
	const shared = work.file('shared');
	mkdirSync(shared, {recursive: true});
	writeFileSync(join(shared, 'of-others'), 'x');
	script = [
		call('terminal', {
			command: `pwd; cat README.md; git log --format=%H; git status --short; git remote -v; echo changed > README.md; ls -A ${shared}`,
		}),
		call('read_file', {path: 'README.md'}),
		call('search_files', {pattern: 'changed'}),
	];
	const {run, answers, notes, prompt, tools} = await runOf('review');

	expect(run).toMatchObject({state: 'done', attempt: 1});
	const [command, read, found] = answers;
	expect(command).toBe(
		[
			'exit code 0',
			`${shared}/checkout`,
			'from the head',
			head,
			`origin\thttps://${forge.host}/acme/api.git (fetch)`,
			`origin\thttps://${forge.host}/acme/api.git (push)`,
			'checkout',
			'',
		].join('\n'),
	);
	expect(read).toContain('changed');
	expect(found).toContain('README.md:1: changed');
	expect(prompt).toBe('Review 7');
	expect(tools.find(({function: {name}}) => name === 'terminal')?.function.description).toContain(
		`Starts in ${shared}/checkout, a checkout of the pull request's head commit, which it may write`,
	);
	expect(notes).toContainEqual(
		expect.stringMatching(
			`^Got the checkout of acme/api#7 from .*: commit ${head}; 1 file, [\\d.]+ k?B; the tools start in ${shared}/checkout$`,
		),
	);
	expect(run?.plan.prefetch).toEqual({
		what: ['checkout'],
		pullRequest: {host: 'github', repo: 'acme/api', number: 7, head},
	});
	expect(JSON.stringify(run)).not.toContain(tokenOfClient);
	expect(gateway.log.join('\n')).not.toContain(tokenOfClient);
	expect(checkouts()).toEqual([]);
	expect(readdirSync(shared)).toEqual(['of-others']);
});

test('with the diff beside it, the diff is the second text, and the run has a note of each', async () => {
	script = [call('read_file', {path: 'README.md'})];
	const {answers, notes, prompt} = await runOf('both');

	expect(answers[0]).toContain('from the head');
	expect(prompt).toMatchObject([{text: 'Review 7'}, {text: expect.stringContaining('diff --git')}]);
	expect(notes.filter(text => text.startsWith('Got the '))).toHaveLength(2);
});

test.each([
	['terminal', 'terminal'],
	['file', 'write_file'],
] as const)('toolset %s is the same to a rule with a checkout and without', async (name, of) => {
	await using plain = await openToolset(name, {
		terminal: {workdir: work.path},
		file: {workdir: work.path},
	});
	await using other = await openToolset(name, {
		terminal: {workdir: work.path},
		file: {workdir: work.path},
		checkout: {folder: work.path, of: 'terminal'},
	});
	const [before, after] = [plain, other].map(({toolOf}) => toolOf(of)?.asked);

	expect(after?.description).toContain(`${work.path}/checkout, a checkout of`);
	expect(before?.description).not.toContain('checkout');
	expect(after?.definition).toBe(before?.definition);
});

test('what an agent plants in `.git` is never run by the gateway: neither after the run nor in the next one', async () => {
	const planted = `touch ${work.file('ran')}`;
	const plant = `printf '#!/bin/sh\\n${planted}\\n' > /tmp/evil; mkdir -p .git/hooks; for hook in post-checkout reference-transaction pre-auto-gc; do cp /tmp/evil .git/hooks/$hook; chmod +x .git/hooks/$hook; done; git config core.fsmonitor '${planted}'; git config core.sshCommand '${planted}'; git config filter.x.smudge '${planted}'; echo '* filter=x' > .git/info/attributes; ln -s / out; mkdir -p locked/in; chmod 000 locked`;
	script = [call('terminal', {command: plant})];
	const {answers} = await runOf('review');
	await runOf('review');

	expect(answers[0]).toBe('exit code 0\n');
	expect(existsSync(work.file('ran'))).toBe(false);
	expect(checkouts()).toEqual([]);
});

test.each([
	['alone', []],
	['beside the folder that holds the shared one', ['.']],
])(
	'another run cannot put a link in the place of the checkout, %s, whatever it does in the shared folder while calls begin',
	async (_, read) => {
		await using home = await temporaryHome({
			'secret/canary': 'canary-4711\n',
			'own/README.md': 'own\n',
		});
		const shared = work.file('shared');
		mkdirSync(shared, {recursive: true});
		await using opened = await openToolset('terminal', {
			terminal: {workdir: shared, approval: 'allow'},
			sandbox: {read: read.map(() => work.path)},
			checkout: {folder: home.file('own'), of: 'terminal'},
		});
		const place = join(shared, 'checkout');
		let [isOn, swaps] = [true, 0];
		const swap = () => {
			for (const target of [home.file('secret'), '/etc']) {
				swaps += 1;
				rmSync(place, {recursive: true, force: true});
				symlinkSync(target, `${place}-new`);
				renameSync(`${place}-new`, place);
			}

			if (isOn) {
				setImmediate(swap);
			}
		};

		swap();
		const answers = [];
		for (let count = 0; count < 8; count += 1) {
			const command = `pwd; ls -A; cat canary; ls -A ${shared}; echo ${count} > written`;
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			answers.push((await opened.call('terminal', {command})).text);
		}

		isOn = false;
		rmSync(place, {recursive: true, force: true});
		expect(new Set(answers.slice(1))).toEqual(
			new Set([
				`exit code 0\n${place}\nREADME.md\nwritten\ncat: canary: No such file or directory\ncheckout\n`,
			]),
		);
		expect(readdirSync(home.file('own'))).toEqual(['README.md', 'written']);
		expect(swaps).toBeGreaterThan(100);
	},
);

/** The plan of a checkout that lies in `own`, in `read/shared`. */
function planIn(
	home: TemporaryHome,
	{read = [], platform = 'linux'}: {read?: readonly string[]; platform?: NodeJS.Platform},
) {
	const planned = sandboxPlan(
		{workdir: home.file('read/shared'), read, write: [], memoryBytes: 2 ** 20},
		systemWorld({
			userHome: home.file('person'),
			svcHome: home.file('svc'),
			profileHome: home.file('svc'),
			environment: {},
		}),
	);
	if (planned.kind === 'problem') {
		throw new TypeError(planned.problem.problem);
	}

	return withCheckout(planned.plan, home.file('svc/checkouts/1-x'), {platform});
}

const laidForPlans = {'read/shared/x': '', 'svc/checkouts/1-x/x': ''};

test('a sandbox looks whether the checkout is at its place where that lies in a listed folder', async () => {
	await using home = await temporaryHome(laidForPlans);
	const place = home.file('read/shared');

	const startOf = (options: Parameters<typeof planIn>[1]) => {
		const {args} = bwrapArguments(planIn(home, options), ['true'], {seccomp: undefined});
		return args.slice(args.indexOf('--') + 1);
	};

	expect(startOf({read: [home.file('read')]})).toEqual(
		expect.arrayContaining(['2', place, join(place, 'checkout'), 'true']),
	);
	expect(startOf({})).toEqual(['true']);
});

test('a sandbox of macOS, which shows nothing at another place, opens the folder of the checkout and closes the working folder', async () => {
	await using home = await temporaryHome(laidForPlans);
	const plan = planIn(home, {platform: 'darwin'});
	const own = home.file('svc/checkouts/1-x');

	expect(plan.cwd).toBe(own);
	const rules = seatbeltProfile(plan, {folder: '/scratch', ports: {proxy: 1, forge: 2}})
		.split('\n')
		.filter(line => line.includes('file-write*'));
	expect(rules.findLast(line => line.includes(`"${home.file('svc')}"`))).toMatch(/^\(deny /);
	expect(rules.at(-1)).toBe(`(allow file-write* (subpath "${own}"))`);
	expect(rules.findLast(line => line.includes(`"${home.file('read/shared')}"`))).toMatch(
		/^\(deny /,
	);
});

test('a checkout that cannot be got is a failed try, and the model is not asked', async () => {
	const {run, requests, notes} = await runOf(
		'review',
		eventOf({pull_request: {number: 404}, number: 404}),
	);

	expect(run).toMatchObject({
		state: 'queued',
		attempt: 1,
		error: expect.stringMatching(/^Cannot get the checkout of acme\/api#404: the pull request/),
	});
	expect({asked: requests.length, notes}).toEqual({asked: 0, notes: []});
	expect(checkouts()).toEqual([]);
});

test('where no tool works in it none is got, and the run says why: no toolset of the kind, another code host, no pull request', async () => {
	const before = forge.requests.length;
	const none = await runOf('no-tools');
	const empty = await runOf('no-toolsets');
	const gitlab = await runOf('review', {
		object_kind: 'merge_request',
		object_attributes: {iid: 7},
		project: {path_with_namespace: 'acme/api'},
	});
	const push = await runOf('review', {ref: 'refs/heads/main', repository: {full_name: 'acme/api'}});

	expect(new Set([none, empty, gitlab, push].map(({run}) => run?.state))).toEqual(
		new Set(['done']),
	);
	expect([none, empty, gitlab, push].map(({notes}) => notes[0])).toEqual([
		'Prefetch: no checkout is got: neither "terminal" nor "file" is among the toolsets of the route',
		'Prefetch: no checkout is got: neither "terminal" nor "file" is among the toolsets of the route',
		'Prefetch: no checkout is got: checkouts are got from GitHub alone',
		'Prefetch: there is nothing to get, the event names no pull request',
	]);
	expect(forge.requests.length).toBe(before);
});

test('where no sandbox works none is got, and the run says why; without one being required, the tools work in the folder itself', async () => {
	const withoutSandbox = async (required: boolean) => {
		await using other = await startTestGateway({
			config: configOf({sandbox: {required}}),
			subscriptions: {review: {...review, toolsets: ['file']}},
			environment: {
				...environment(),
				PATH: `${client.path.split(':')[0]}:${await binWithout('bwrap')}`,
			},
		});
		await other.send('review', eventOf(), {'x-github-event': 'pull_request'});
		await other.gateway.idle();
		const run = await other.port.getRun(1);
		return {
			state: run?.state,
			note: run?.transcript.find(({text}) => text.includes('checkout'))?.text,
			left: readdirSync(other.home.path).includes('checkouts')
				? readdirSync(join(other.home.path, 'checkouts'))
				: [],
		};
	};

	expect(await withoutSandbox(true)).toEqual({
		state: 'done',
		note: expect.stringMatching(
			/^Prefetch: no checkout is got: no tool can work in it: no sandbox works here: /,
		),
		left: [],
	});
	expect(await withoutSandbox(false)).toEqual({
		state: 'done',
		note: expect.stringMatching(/; the tools start in \/.*\/checkouts\/1-\w+$/),
		left: [],
	});
});

/** A folder with what git and the client of the test need, and without `missing`. */
async function binWithout(missing: string): Promise<string> {
	const home = stack.use(await temporaryHome());
	for (const name of ['git', 'sh', 'bash', 'cat'].filter(one => one !== missing)) {
		const found = (process.env['PATH'] ?? '')
			.split(':')
			.map(folder => join(folder, name))
			.find(path => existsSync(path));
		symlinkSync(found ?? name, home.file(name));
	}

	return home.path;
}

test('a gateway that is killed with kill -9 leaves its checkout and its sockets to the next start, which sweeps them away', async () => {
	await using home = await gatewayHome({
		config: configOf({sandbox: {hosts: ['example.com']}}),
		subscriptions: {review: {...review, toolsets: ['terminal']}},
	});
	script = [call('terminal', {command: 'mkdir -p a/b; chmod 000 a; sleep 60'})];
	const folder = home.file('checkouts');
	{
		await using running = await startGatewayProcess(home.path, environment());
		await post(`${running.url}/webhooks/review`, {
			payload: eventOf(),
			headers: {'x-github-event': 'pull_request'},
		});
		await until(
			() =>
				existsSync(folder) && readdirSync(folder).some(name => existsSync(join(folder, name, 'a'))),
		);
	}

	const sockets = home.file('run/out');
	expect(readdirSync(folder)).toHaveLength(1);
	expect(readdirSync(sockets)).toHaveLength(1);
	const [left = ''] = readdirSync(folder);
	await using next = await startTestGateway({home, environment: environment()});
	await until(() => !readdirSync(folder).includes(left));
	expect(readdirSync(sockets)).toEqual([]);
	expect(next.log.filter(line => line.includes('Cannot remove'))).toEqual([]);
});
