import type {JsonObject, JsonValue} from '../../core/json.ts';
import type {ServerToolView} from '../../core/tool-server.ts';
import type {FieldRecord} from '../forms/field.ts';
import {newForm, type FormState} from '../forms/form.ts';

/** A tool with the arguments that a person gives it. */
export type ToolTrial = {
	readonly profile: string;
	readonly server: string;
	/** The name that models use. */
	readonly name: string;
	/** The name that the server uses. */
	readonly tool: string;
	/** What the server says that it does. */
	readonly description: string;
	readonly form: FormState;
};

/** One field for each argument at the top; what it takes is not known, so each takes JSON or text. */
const fieldOf = (argument: string): FieldRecord => {
	const required = argument.endsWith('*');
	const key = required ? argument.slice(0, -1) : argument;
	return {key, title: key, description: '', kind: 'text', required, masked: false};
};

/** A trial that nothing is filled in of. */
export const newTrial = (
	{name, tool, description, args}: Pick<ServerToolView, 'name' | 'tool' | 'description' | 'args'>,
	{profile, server}: {readonly profile: string; readonly server: string},
): ToolTrial => ({
	profile,
	server,
	name,
	tool,
	description,
	form: newForm(args.map(fieldOf)),
});

/** The arguments as they are sent: what is JSON as that, everything else as text, what is empty not at all. */
export const trialArguments = ({form}: ToolTrial): JsonObject =>
	Object.fromEntries(
		form.fields.flatMap(({key}) => {
			const value = form.values[key];
			return typeof value === 'string' && value !== '' ? [[key, jsonOrText(value)]] : [];
		}),
	);

function jsonOrText(text: string): JsonValue {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse makes is JSON
		return JSON.parse(text) as JsonValue;
	} catch {
		return text;
	}
}
