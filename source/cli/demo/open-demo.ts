import {stringify} from 'yaml';
import {askNoProxy} from '../../config/environment.ts';
import {homePaths} from '../../config/home-paths.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {nodeFlags} from '../../core/program.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import type {FirstRunCard} from '../../tui/commands/first-run.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import type {OutputFormat} from '../lines/output-mode.ts';
import {openInterface} from '../start/open-interface.ts';
import {makeDemoHome} from './demo-home.ts';
import {startDemoServer} from './demo-server.ts';
import {createBehindClock, playDay, playScenes} from './play-traffic.ts';
import {fillAll} from './recording.ts';
import world from './world.json' with {type: 'json'};

const dayMs = 24 * 60 * 60 * 1000;
const latelyMs = 23.4 * 3_600_000;

/**
 * The files of the demo's home. Ports are free ones: the usual ones belong to the person's own gateway and its clients. One dynamic route has an error, to show in
 * pane 5; it affects no other.
 */
export const demoFiles = (words: {
	/** The demo server's origin. */
	readonly origin: string;
	/** The path of the code host's client. */
	readonly client: string;
	/** When a job was created. */
	readonly lately: string;
}) => {
	const {config, subscriptions, jobs} = world;
	return fillAll({config, subscriptions, jobs}, words);
};

/** Explains the demo, and which keys to press. */
const demoCard = (begun: Promise<void>): FirstRunCard => ({
	title: 'Demo',
	steps: [
		'recorded traffic comes in through a real port of this machine, signed',
		'the model, tool servers, login pages and code host are made up',
		'nothing leaves this machine; home, processes, ports go when you quit',
	],
	underWay: {
		step: 'the last 24 hours are being played, which takes some seconds',
		done: 'the last 24 hours were played just now, in a moment',
		over: begun,
	},
	route: 'gh-review',
	keys: [
		['T', 'sends an event of your own, and shows it'],
		['Enter', 'goes to the traffic, where each row says why it was decided so'],
		['!', 'opens what waits for you: a call that would write'],
		['4  j  l', 'logs in to crm with a code, which agrees by itself'],
		['5  e', 'edits a route, and shows what past events would come to'],
		['?', 'shows the keys of where you are; q quits'],
	],
});

/** The command line that starts this program. */
const ownCommand = (): readonly [string, ...string[]] => [
	process.execPath,
	...new Set([...nodeFlags, ...process.execArgv]),
	process.argv[1] ?? '',
];

type DemoOptions = {
	readonly output?: OutputFormat | undefined;
	/** The command that starts this program, for the demo's parts. */
	readonly program?: readonly [string, ...string[]];
	/** Receives the gateway once the recorded day has passed. */
	readonly onGateway?: (gateway: Gateway, url: string) => void;
	/** No traffic comes after the recorded day. */
	readonly isStill?: boolean;
	/** Uses the prompt instead of the screen. */
	readonly linear?: boolean;
};

/**
 * `svc --demo`: the interface, or the prompt, over a gateway with its own home, model, tool servers and senders, all on this machine and ending together.
 *
 * @see manual/demo.md
 */
export async function openDemo(
	context: Context,
	{
		output,
		program = ownCommand(),
		onGateway = () => {},
		isStill = false,
		linear = false,
	}: DemoOptions = {},
): Promise<void> {
	askNoProxy();
	const {clock} = context;
	const behind = createBehindClock(clock, dayMs);
	await using stack = new AsyncDisposableStack();
	const home = stack.use(makeDemoHome());
	const server = stack.use(await startDemoServer({clock, isHurried: () => behind.behindMs() > 0}));
	const words = {
		origin: server.origin,
		client: home.addPrograms(program),
		lately: new Date(clock.now() - latelyMs).toISOString(),
	};
	const {config, subscriptions, jobs} = demoFiles(words);
	home.write('config.yaml', stringify(config, {aliasDuplicateObjects: false, lineWidth: 0}));
	home.write('webhook_subscriptions.json', JSON.stringify(subscriptions, undefined, 2));
	home.write('cron/jobs.json', JSON.stringify({jobs}));

	const environment = home.environment(context.environment);
	const ending = new AbortController();
	const {signal} = ending;
	const demo: Context = {
		...context,
		environment,
		version: `${context.version} demo`,
		paths: () => homePaths({environment}),
	};
	let traffic = Promise.resolve();
	try {
		await openInterface(demo, {
			linear,
			output,
			demo: {
				card: demoCard,
				world: {clock: behind, localServers: [], modelRetries: 0},
				async begin(gateway, asked) {
					void asked.then(() => {
						ending.abort();
						return undefined;
					});
					tell(
						demo,
						'A demo: nothing leaves this machine, and nothing of it stays.\nA day of traffic is played first, which takes some seconds',
					);
					await gateway.started;
					const {webhook} = gateway.port.getState();
					if (webhook.state !== 'listening') {
						throw new SvcError('listen_failed', `The demo cannot listen: ${webhook.state}`);
					}

					const {url} = webhook;
					await playDay(gateway, {clock: behind, url, signal}).catch(endsWith(signal));
					if (signal.aborted) {
						return;
					}

					onGateway(gateway, url);
					if (!isStill) {
						traffic = playScenes(gateway.port, {clock, url, signal}).catch(endsWith(signal));
					}
				},
				end() {
					ending.abort();
					// A run that waits for the server would delay the end.
					void server[Symbol.asyncDispose]();
				},
			},
		});
	} finally {
		ending.abort();
		await traffic.catch((error: unknown) => {
			tell(demo, `The traffic of the demo broke off: ${messageOf(error)}`);
		});
	}
}

/** Errors thrown after `signal` aborted count as its end. */
const endsWith = (signal: AbortSignal) => (error: unknown) => {
	if (!signal.aborted) {
		throw error;
	}
};
