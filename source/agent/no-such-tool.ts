import {cell} from '../core/untrusted.ts';

const named = 5;
const maxNameLength = 100;

/** What a person reads of a call of a tool that the run does not have, with the first five of those that it has. */
export function noSuchTool(name: string, tools: readonly string[]): string {
	const shown = cell(name, maxNameLength).text;
	if (tools.length === 0) {
		return `There is no tool "${shown}": this run has none`;
	}

	const more = tools.length > named ? ` and ${tools.length - named} more` : '';
	return `There is no tool "${shown}": this run has ${tools.slice(0, named).join(', ')}${more}`;
}
