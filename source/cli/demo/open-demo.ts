import {stringify} from 'yaml';
import {askNoProxy} from '../../config/environment.ts';
import {homePaths} from '../../config/home-paths.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {nodeFlags} from '../../core/node-flags.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import type {OutputFormat} from '../lines/output-mode.ts';
import {openInterface} from '../start/open-interface.ts';
import {createBehindClock} from './behind-clock.ts';
import {demoCard} from './demo-card.ts';
import {makeDemoHome} from './demo-home.ts';
import {addPrograms} from './demo-programs.ts';
import {demoConfig, demoJobs, demoSubscriptions} from './servers/demo-config.ts';
import {startLoginServer} from './servers/login-server.ts';
import {startModelServer} from './servers/model-server.ts';
import {playDay} from './traffic/play-day.ts';
import {playScenes} from './traffic/play-scenes.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How this program starts itself. */
const ownCommand = (): readonly [string, ...string[]] => [
	process.execPath,
	...new Set([...nodeFlags, ...process.execArgv]),
	process.argv[1] ?? '',
];

/**
 * `svc --demo`: the interface, or lines, over a gateway with a home, a model, tool servers and senders of its own, all on this machine; all of it ends with it.
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
	}: {
		readonly output?: OutputFormat;
		/** Starts this program; its parts are processes of it. */
		readonly program?: readonly [string, ...string[]];
		/** Gets the gateway as soon as its day has passed. */
		readonly onGateway?: (gateway: Gateway, url: string) => void;
		/** Nothing comes in after the day. */
		readonly isStill?: boolean;
		/** Questions and answers instead of the screen. */
		readonly linear?: boolean;
	} = {},
): Promise<void> {
	askNoProxy();
	const {clock} = context;
	const behind = createBehindClock(clock, dayMs);
	await using stack = new AsyncDisposableStack();
	const home = stack.use(makeDemoHome());
	const [model, crm, billing] = await Promise.all([
		startModelServer({clock, isHurried: () => behind.behindMs() > 0}),
		startLoginServer('customers', {clock}),
		startLoginServer('invoices', {clock}),
	]);
	stack.use(model);
	stack.use(crm);
	stack.use(billing);
	const config = demoConfig({
		model: model.baseUrl,
		crm: crm.url,
		billing: billing.url,
		...addPrograms(home, program),
	});
	home.write('config.yaml', stringify(config, {aliasDuplicateObjects: false, lineWidth: 0}));
	home.write('webhook_subscriptions.json', JSON.stringify(demoSubscriptions, undefined, 2));
	home.write('cron/jobs.json', JSON.stringify(demoJobs(clock.now())));

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
			...(output && {output}),
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
					// A run that waits for it would hold up the end.
					void model[Symbol.asyncDispose]();
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

/** What is thrown after `signal` aborted is its end. */
const endsWith = (signal: AbortSignal) => (error: unknown) => {
	if (!signal.aborted) {
		throw error;
	}
};
