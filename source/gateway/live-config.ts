import type {Config, HomePaths, RouteTable} from '../config/config.ts';
import {diffConfig} from '../config/diff-config.ts';
import type {Environment} from '../config/environment.ts';
import {secretsOfConfig} from '../config/expand-server.ts';
import {formatDiagnostic} from '../config/format-diagnostic.ts';
import {defaultConfig, loadConfig} from '../config/load-config.ts';
import {profileStamp} from '../config/profiles.ts';
import {createRouteTableSource, routeViews, secretsInTable} from '../config/route-table.ts';
import type {SkippedRoute} from '../config/route.ts';
import {createSubscriptionsReader} from '../config/subscriptions.ts';
import {stampOf as fileStamp} from '../config/text-files.ts';
import {maxProblems} from '../config/yaml-source.ts';
import type {Diagnostic} from '../core/config-view.ts';
import {derive} from '../core/derive.ts';
import type {World} from '../core/world.ts';

/** The current configuration, and what changes it. */
export type LiveConfig = ReturnType<typeof createLiveConfig>;

/** Loads the configuration and keeps it in memory. `onChange` is called after a reload that changed something, once the new configuration is in use. */
export function createLiveConfig(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly paths: HomePaths;
		readonly environment: Environment;
	},
	{
		onChange,
		onSecrets,
	}: {
		readonly onChange: (next: Config, previous: Config) => Promise<void>;
		/** Receives all secrets whenever they change; must not throw. */
		readonly onSecrets: (secrets: readonly string[]) => void;
	},
) {
	const {paths, environment, clock, emit, log} = world;
	let stamp = stampOf(paths);
	const loaded = loadConfig({paths, environment});
	let broken: readonly Diagnostic[] = loaded.ok ? [] : loaded.problems;
	let config = loaded.ok ? loaded.config : defaultConfig(paths, environment);
	let started = config;
	let known: RouteTable | undefined;
	let secrets: readonly string[] = [];
	let hidden: readonly string[] = [];

	const ofConfig = derive(secretsOfConfig);
	/** Updates the list of secrets of the configuration, its tool servers and its routes. */
	const hideAll = (table: RouteTable | undefined) => {
		const now = [...ofConfig(config), ...(table ? secretsInTable(table) : []), ...hidden];
		if (now.length !== secrets.length || now.some((text, index) => text !== secrets[index])) {
			secrets = now;
			onSecrets(now);
		}
	};
	hideAll(undefined);

	const currentTable = createRouteTableSource({
		config: () => config,
		subscriptions: createSubscriptionsReader({paths, clock, log}),
	});

	const currentRoutes = () => {
		const table = currentTable();
		if (table !== known) {
			known = table;
			hideAll(table);
			reportProblems(table);
			emit({type: 'routes-changed', at: clock.now(), routes: routeViews(table)});
		}

		return table;
	};

	let problemsBefore: ReadonlySet<string> = new Set();
	const reportProblems = ({routes, skipped, warnings}: RouteTable) => {
		const problems = new Set([
			...skipped.map(entry => troubleWith(entry, routes)),
			...warnings.map(formatDiagnostic),
		]);
		const fresh = [...problems].filter(problem => !problemsBefore.has(problem));
		for (const problem of fresh.slice(0, maxProblems)) {
			log.warn(problem);
		}

		if (fresh.length > maxProblems) {
			log.warn(`… and ${fresh.length - maxProblems} more: see "svc webhook list"`);
		}

		problemsBefore = problems;
	};

	/** Logs problems; those of routes are logged with the routes. */
	const tellOf = ({problems, itemErrors, webhook}: Config) => {
		const consequences = new Map(
			[...itemErrors.values()].map(({reason, kept}) => [
				reason,
				kept ? '; its last good version stays in use' : '; it is not in use',
			]),
		);
		const ofRoutes = new Set(webhook.invalid.map(({problem}) => problem));
		for (const problem of problems) {
			if (problem.severity === 'warning') {
				log.warn(formatDiagnostic(problem));
			} else if (!ofRoutes.has(problem)) {
				const text = formatDiagnostic(problem);
				log.error(`${text}${consequences.get(text) ?? ''}`);
			}
		}
	};

	let hasProblems = config.problems.length > 0;
	const reject = (problems: readonly Diagnostic[], consequence: string) => {
		hasProblems = true;
		for (const problem of problems) {
			log.error(`${formatDiagnostic(problem)}; ${consequence}`);
		}

		emit({type: 'config-rejected', at: clock.now(), problems});
	};

	if (broken.length > 0) {
		reject(broken, stillBroken);
	} else if (config.problems.length > 0) {
		tellOf(config);
		emit({
			type: 'config-reloaded',
			at: clock.now(),
			changes: [],
			restartNeeded: [],
			problems: config.problems,
		});
	}

	// The defaults used in place of a broken file were never in use: their items are not kept as last valid versions.
	const peek = () => loadConfig({paths, environment, ...(broken.length === 0 && {before: config})});

	const reload = async () => {
		stamp = stampOf(paths);
		const next = peek();
		if (!next.ok) {
			reject(next.problems, broken.length > 0 ? stillBroken : unchanged);
			return;
		}

		// Events received since the start would end up in another store than the open one.
		if (broken.length > 0 && next.config.gateway.store !== config.gateway.store) {
			reject([problemOf(paths.config, needsStart, 'gateway.store')], stillBroken);
			return;
		}

		// Judged by the text that was read: a moment later the file may be complete.
		if (!config.blank && next.config.blank) {
			reject([problemOf(paths.config, 'The file is gone or empty')], unchanged);
			return;
		}

		// A receiver that was already refused must not keep the rest of the file from being used.
		const wasServing =
			broken.length === 0 &&
			config.webhook.refusals.length === 0 &&
			config.webhook.broken === undefined;
		const refused = wasServing
			? [...problemsOfLoss(config, next.config), ...problemsOfRefusals(next.config)]
			: [];
		if (refused.length > 0) {
			reject(refused, unchanged);
			return;
		}

		const previous = config;
		const {changes, restartNeeded} = diffConfig(previous, next.config, started);
		started = broken.length > 0 ? next.config : started;
		broken = [];
		config = next.config;
		currentRoutes();
		emit({
			type: 'config-reloaded',
			at: clock.now(),
			changes,
			restartNeeded,
			problems: next.config.problems,
		});
		// Dynamic routes are reported separately; saving a file unchanged is not reported.
		if (changes.length > 0) {
			log.note('The configuration was reloaded', {
				changes: changes.join('; '),
				...(restartNeeded.length > 0 && {restart_needed: restartNeeded.join(', ')}),
			});
		}

		tellOf(config);
		if (hasProblems && config.problems.length === 0) {
			log.note('The configuration is in order again');
		}

		hasProblems = config.problems.length > 0;
		await onChange(config, previous);
	};

	return {
		current: (): Config => config,
		/** The first valid configuration: settings that need a restart are in use as it says. */
		started: (): Config => started,
		/** The store was opened with the current configuration: settings that need a restart are now in use as it says. */
		opened() {
			started = broken.length > 0 ? started : config;
		},
		/** Problems of the file at the start, until a valid one has been read; meanwhile nothing may run. */
		get broken() {
			return broken;
		},
		/** The routes to serve, read again when the file of dynamic routes has changed. Cheap: called for every request. */
		routes: currentRoutes,
		/** Adds a secret: an access token obtained while running. The newest 100 are kept. */
		hide(secret: string) {
			hidden = [...hidden, secret].slice(-100);
			hideAll(known);
		},
		/** Loads the files without using them. */
		peek,
		/** The configuration that this text of `config.yaml` would give. */
		load: (text: string) => loadConfig({paths, environment, text}),
		/** Reads all files again. A broken or refused file changes nothing and is reported; an invalid item keeps its last valid version. */
		reload,
		/** Reloads if a file has changed since it was last read, for a watcher that has only just begun. */
		async catchUp() {
			if (stamp !== stampOf(paths)) {
				await reload();
			}
		},
	};
}

/** A text that changes when `config.yaml`, `.env` or a file of a profile changes. */
const stampOf = (paths: HomePaths): string =>
	[fileStamp(paths.config).stamp, fileStamp(paths.env).stamp, profileStamp(paths)].join();

/** What is wrong with a route, and the consequence. */
function troubleWith(
	{name, kind, reason, view}: SkippedRoute,
	served: RouteTable['routes'],
): string {
	if (kind !== 'invalid') {
		return `Not served: ${reason}`;
	}

	const consequence = served.has(name)
		? 'its last good version is served'
		: 'its events are answered with 503';
	return `${view.problem ?? reason}; ${consequence}`;
}

const stillBroken = 'nothing runs before it is mended';

const needsStart =
	'The file could not be read when the gateway was started, so that another store is open: stop it and start it again';

const unchanged = 'the running configuration stays';

/**
 * Refuses a file that lost `enabled` of a serving receiver: only a written `false` may close it, since that turns senders away and dispatches groups early. A file being
 * saved in place is briefly empty or truncated, as on a full disk, and a truncated one is often valid YAML. If only its routes are cut off, it cannot be told from an edit.
 */
const problemsOfLoss = (previous: Config, {webhook, paths}: Config): readonly Diagnostic[] =>
	previous.webhook.enabled && !webhook.enabled && !webhook.switchedOff
		? [
				problemOf(
					paths.config,
					'The key is gone while the receiver serves: write "enabled: false" to switch it off',
					'platforms.webhook.enabled',
				),
			]
		: [];

/** Settings that the receiver would refuse at a start are not applied while it runs. */
const problemsOfRefusals = ({webhook}: Config): readonly Diagnostic[] =>
	webhook.refusals.map(({problem}) => problem);

/** An error without a position in the file. */
const problemOf = (file: string, message: string, key = ''): Diagnostic => ({
	severity: 'error',
	file,
	line: 0,
	column: 0,
	key,
	message,
});
