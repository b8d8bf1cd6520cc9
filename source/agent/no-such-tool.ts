import {nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';

const named = 5;
const maxNameLength = 100;

/** What a person and the model read of a call of a tool that the run does not have, with the one of `all` that was probably meant and the first five of `tools`. */
export function noSuchTool(
	name: string,
	tools: readonly string[],
	all: readonly string[] = tools,
): string {
	const shown = escapeLine(name, maxNameLength);
	if (tools.length === 0) {
		return `There is no tool "${shown}": this run has none`;
	}

	const near = nearestName(name, all);
	const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
	const more = tools.length > named ? ` and ${tools.length - named} more` : '';
	return `There is no tool "${shown}"${meant}: this run has ${tools.slice(0, named).join(', ')}${more}`;
}
