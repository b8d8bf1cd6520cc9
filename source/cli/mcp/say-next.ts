import {mapTexts} from '../../config/plain-data.ts';
import {contextVariables, expandReferences} from '../../config/server-references.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {servingHome} from '../home/serving-home.ts';

/** Says so where no gateway reads this `config.yaml`: the one of another home serves the profile. */
export async function sayNobodyConnects(context: Context): Promise<void> {
	const serving = await servingHome(context);
	if (serving) {
		tell(
			context,
			`Nobody connects to it: the gateway of "${serving.home}" serves this profile, with the tool servers of its own config.yaml`,
		);
	}
}

/** Says which variables of the entry are not set: without them it cannot be connected to, or its program gets the placeholder. */
export function sayUnset(context: Context, entry: JsonObject): void {
	const {env: file} = context.paths();
	const environment = readConfig(context).environment;
	const scope = {environment, context: contextVariables(environment)};
	const unset = new Set<string>();
	mapTexts(entry, text => {
		for (const variable of expandReferences(text, scope).unset) {
			unset.add(variable);
		}

		return text;
	});
	if (unset.size > 0) {
		const names = [...unset].map(variable => `\${${variable}}`).join(', ');
		tell(
			context,
			`Not set yet: ${names}. Write ${unset.size === 1 ? 'it' : 'them'} into "${file}"`,
		);
	}
}
