import {readFile} from 'node:fs/promises';
import {parse} from 'yaml';
import {checkSubscription} from '../config/check-subscription.ts';
import type {Config} from '../config/config.ts';
import {editSubscriptions} from '../config/edit-subscriptions.ts';
import {fillDeliverExtra} from '../config/fill-deliver-extra.ts';
import {formatProblem} from '../config/format-problem.ts';
import {ensureHome} from '../config/home-paths.ts';
import {loadConfig} from '../config/load-config.ts';
import {mergeSubscription, type SubscribeFlags} from '../config/merge-subscription.ts';
import {buildRouteTable, routeViews} from '../config/route-table.ts';
import {createSubscriptionsReader} from '../config/subscriptions.ts';
import {SvcError, messageOf} from '../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {silentLogger} from '../core/log.ts';
import {curlLine, sampleRequest} from '../gateway/sample-event.ts';
import type {Context} from './context.ts';
import {requireGateway} from './gateway-access.ts';
import {printJson, printLines, printTable, tell} from './print.ts';

/** The flags of `svc webhook subscribe`, as the command line gives them. */
export type SubscribeOptions = Omit<SubscribeFlags, 'filters'> & {
	readonly filtersFile?: string;
	readonly deliverExtra?: Readonly<Record<string, string>>;
	readonly json?: boolean;
};

/** Creates or changes a subscription; prints its URL, its secret if it is new, and a ready curl line. @throws SvcError `subscription_refused`, … */
export async function subscribe(
	context: Context,
	{name, options}: {readonly name: string; readonly options: SubscribeOptions},
): Promise<void> {
	const {filtersFile, deliverExtra, json, ...rest} = options;
	const filters = filtersFile === undefined ? undefined : await readFilters(filtersFile);
	const flags: SubscribeFlags = {...rest, ...(filters !== undefined && {filters})};
	const paths = context.paths();
	ensureHome(paths);
	const config = readConfig(context);

	let isNew = true;
	const entries = await editSubscriptions(
		paths,
		before => {
			const existing = Object.hasOwn(before, name) ? before[name] : undefined;
			isNew = existing === undefined;
			const merged = mergeSubscription(isJsonObject(existing) ? existing : undefined, flags);
			const entry = fillDeliverExtra(merged, deliverExtra);
			const [refusal] = checkSubscription(name, entry, config);
			if (refusal) {
				throw new SvcError('subscription_refused', refusal.reason);
			}

			return {...before, [name]: entry};
		},
		{clock: context.clock},
	);
	const entry = entries[name];
	const showSecret = isNew || flags.secret !== undefined;
	report(context, {
		name,
		entry: isJsonObject(entry) ? entry : {},
		config,
		isNew,
		showSecret,
		json: json ?? false,
	});
}

/** Lists every route of the home, also those that are not served. */
export async function listRoutes(
	context: Context,
	{json}: {readonly json: boolean},
): Promise<void> {
	const config = readConfig(context);
	const reader = createSubscriptionsReader({
		paths: config.paths,
		clock: context.clock,
		log: silentLogger,
	});
	const dynamic = reader.current();
	const views = routeViews(buildRouteTable(config, dynamic));
	const base = urlOf(config);
	if (dynamic.problem !== undefined) {
		tell(context, dynamic.problem);
		context.exit(1);
	}

	if (json) {
		printJson(
			context,
			views.map(view => ({...view, url: `${base}/webhooks/${view.name}`})),
		);
		return;
	}

	await printTable(context, {
		header: ['NAME', 'SOURCE', 'EVENTS', 'DELIVER', 'URL', 'PROBLEM'],
		rows: views.map(view => [
			view.name,
			view.source,
			view.events.join(',') || '*',
			view.mode === 'agent' ? view.deliver : `${view.deliver} (${view.mode})`,
			`${base}/webhooks/${view.name}`,
			view.problem ?? (view.insecure ? 'INSECURE_NO_AUTH' : ''),
		]),
		empty: 'No routes yet: create one with "svc webhook subscribe NAME"',
	});
}

/** Removes a subscription. @throws SvcError `subscription_not_found` */
export async function unsubscribe(context: Context, name: string): Promise<void> {
	await editSubscriptions(
		context.paths(),
		before => {
			if (!Object.hasOwn(before, name)) {
				throw notFound(context, name);
			}

			const {[name]: _removed, ...others} = before;
			return others;
		},
		{clock: context.clock},
	);
	printLines(context, [`Removed ${name}`]);
}

/** Sends a test event to a subscription of the running gateway; prints status and body. Routes of config.yaml are refused. */
export async function testSubscription(
	context: Context,
	{
		name,
		payload,
		event,
		json,
	}: {
		readonly name: string;
		readonly payload?: string;
		readonly event?: string;
		readonly json?: boolean;
	},
): Promise<void> {
	const gateway = await requireGateway(context);
	const route = (await gateway.listRoutes()).find(view => view.name === name);
	if (route?.source === 'static') {
		throw new SvcError(
			'route_is_static',
			`Cannot test route "${name}": it is in config.yaml, only subscriptions can be tested`,
		);
	}

	if (!route) {
		throw notFound(context, name);
	}

	const answer = await gateway.sendTestEvent(name, {
		...(payload !== undefined && {payload}),
		...(event !== undefined && {event}),
	});
	if (json) {
		printJson(context, answer);
	} else {
		printLines(context, [`${answer.status} ${answer.body}`]);
	}

	context.exit(answer.status < 400 ? 0 : 1);
}

function report(
	context: Context,
	{
		name,
		entry,
		config,
		isNew,
		showSecret,
		json,
	}: {
		readonly name: string;
		readonly entry: JsonObject;
		readonly config: Config;
		readonly isNew: boolean;
		readonly showSecret: boolean;
		readonly json: boolean;
	},
): void {
	const base = urlOf(config);
	const secret = typeof entry['secret'] === 'string' ? entry['secret'] : '';
	const table = buildRouteTable(config, {entries: {[name]: entry}});
	const route = table.routes.get(name);
	const curl = route && curlLine(`${base}/webhooks/${name}`, sampleRequest(route));
	const warnings = table.warnings.map(formatProblem);
	if (json) {
		printJson(context, {
			name,
			url: `${base}/webhooks/${name}`,
			created: isNew,
			...(showSecret && {secret}),
			...(curl && {curl}),
			...(warnings.length > 0 && {warnings}),
		});
		return;
	}

	for (const warning of warnings) {
		tell(context, warning);
	}

	printLines(context, [
		`${isNew ? 'Created' : 'Updated'} ${name}`,
		`url     ${base}/webhooks/${name}`,
		showSecret ? `secret  ${secret}   (shown once)` : 'secret  unchanged',
		...(curl ? ['', 'Try it:', curl] : []),
	]);
	if (!config.webhook.enabled) {
		tell(context, 'The webhook receiver is not enabled: svc gateway setup --enable');
	}
}

/** @throws SvcError `config_invalid` with the first problem */
function readConfig(context: Context): Config {
	const loaded = loadConfig({paths: context.paths(), environment: context.environment});
	if (loaded.ok) {
		return loaded.config;
	}

	const [first] = loaded.problems;
	throw new SvcError('config_invalid', first ? formatProblem(first) : 'Cannot read config.yaml');
}

const notFound = (context: Context, name: string): SvcError =>
	new SvcError(
		'subscription_not_found',
		`Cannot find subscription "${name}" in "${context.paths().subscriptions}": see "svc webhook list"`,
	);

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** Where senders on this machine reach the receiver. */
function urlOf({webhook}: Config): string {
	const host = everyAddress.has(webhook.host) ? '127.0.0.1' : webhook.host;
	return `http://${host.includes(':') ? `[${host}]` : host}:${webhook.port}`;
}

const largestFiltersFile = 1024 * 1024;

async function readFilters(path: string): Promise<JsonValue> {
	try {
		const text = await readFile(path, 'utf8');
		if (text.length > largestFiltersFile) {
			throw new Error('it is larger than 1 MiB');
		}

		const value: JsonValue = parse(text);
		return value;
	} catch (error) {
		throw new SvcError(
			'filters_unreadable',
			`Cannot read the filters in "${path}": ${messageOf(error)}`,
			{
				cause: error,
			},
		);
	}
}
