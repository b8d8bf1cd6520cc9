import {loadConfig} from '../../config/load-config.ts';
import {withoutSecrets} from '../../config/route-edit/kept-secrets.ts';
import {saveDraft} from '../../config/route-edit/save-draft.ts';
import {fingerprintOf, readWrittenRoute} from '../../config/route-edit/written-route.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {surroundingsOf} from '../../gateway/route-editor/surroundings.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';

/**
 * Gives a route another name in the file that it stands in: of two of one name that of `config.yaml`, which is the one that is served.
 *
 * @throws SvcError `route_not_found`, `route_refused` for a name that cannot be, `route_conflict`; what `editConfig` and `editSubscriptions` throw
 */
export async function renameRoute(
	context: Context,
	{from, name, json}: {readonly from: string; readonly name: string; readonly json: boolean},
): Promise<void> {
	if (from === name) {
		throw new SvcError('route_refused', `Cannot rename route "${from}": that is its name`);
	}

	const config = readConfig(context);
	const {paths} = config;
	const {clock, environment} = context;
	const written = (['static', 'dynamic'] as const)
		.map(source => readWrittenRoute(paths, from, source))
		.find(({entry}) => entry !== undefined);
	if (written?.entry === undefined) {
		throw new SvcError('route_not_found', `Cannot find route "${from}": see "svc webhook list"`);
	}

	const {source, entry} = written;
	const definition = withoutSecrets(entry);
	const {file, warnings} = await saveDraft(
		name,
		{
			source,
			from,
			fingerprint: fingerprintOf(entry),
			definition: isJsonObject(definition) ? definition : {},
		},
		{
			surroundings: surroundingsOf(
				{clock},
				{config, load: text => loadConfig({paths, environment, text})},
			),
			clock,
		},
	);
	if (json) {
		printJson(context, {name, from, source, file, warnings});
		return;
	}

	printLines(context, [`Renamed ${from} to ${name}`]);
	for (const warning of warnings) {
		tell(context, warning);
	}
}
