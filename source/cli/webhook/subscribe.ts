import {readFile} from 'node:fs/promises';
import {parse} from 'yaml';
import {checkSubscription} from '../../config/check-subscription.ts';
import type {Config} from '../../config/config.ts';
import {editSubscriptions} from '../../config/edit-subscriptions.ts';
import {fillDeliverExtra} from '../../config/fill-deliver-extra.ts';
import {formatProblem} from '../../config/format-problem.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {mergeSubscription, type SubscribeFlags} from '../../config/merge-subscription.ts';
import {buildRouteTable} from '../../config/route-table.ts';
import {SvcError, messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {curlLine, sampleRequest} from '../../gateway/sample-event.ts';
import type {Context} from '../context.ts';
import {printJson, printLines, tell} from '../print.ts';
import {readConfig, urlOf} from './receiver-facts.ts';

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
