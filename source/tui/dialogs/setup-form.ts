import {isIP} from 'node:net';
import type {SetupDraft, SetupPlan} from '../../core/setup.ts';
import {contentOf} from '../../nouns/field-kinds.ts';
import {field, trimmed, type FieldRecord, type FieldReading} from '../../nouns/field.ts';
import {literal} from '../../terminal/text/safe.ts';
import {newForm, type FormState} from '../forms/form.ts';

/** The receiver's settings as filled in. One form holds the values of all steps, and shows the fields of one. */
export type SetupForm = {
	/** The settings in effect. */
	readonly now: SetupPlan['now'];
	readonly step: number;
	readonly form: FormState;
};

/** Labels of letters, digits, `-` and `_`; the last one begins with a letter. */
const hostName = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z](?:[a-z\d_-]*[a-z\d_])?$/i;

/** `yes` and `no` are answers to a question, not hosts. */
const listenHost: FieldReading = {
	typed: String,
	taken(typed) {
		const text = typed.trim();
		return text === '' || isIP(text) > 0 || (hostName.test(text) && !/^(?:y|yes|n|no)$/i.test(text))
			? trimmed.taken(text)
			: {ok: false, problem: 'is an address of this machine, such as 127.0.0.1, or a name of it'};
	},
};

const placeFields = ({host, port}: SetupPlan['now']): readonly FieldRecord[] => [
	field('enable', 'boolean', {
		description: 'Receive webhooks.',
		title: 'receive',
		initial: true,
	}),
	field('host', 'text', {
		description:
			'Address to listen on: 127.0.0.1 for senders on this machine, 0.0.0.0 for others, too.',
		initial: host,
		required: true,
		own: listenHost,
	}),
	field('port', 'integer', {
		description: 'Port to listen on; 0 takes any free port.',
		initial: port,
		required: true,
		least: 0,
		most: 65_535,
	}),
];

const secretFields = ({hasSecret}: SetupPlan['now']): readonly FieldRecord[] => [
	field('way', 'choice', {
		description: 'Secret of routes that have none of their own. A new one is shown once.',
		title: 'secret',
		required: true,
		initial: hasSecret ? 'keep' : 'make',
		options: [
			{value: 'keep', title: hasSecret ? 'keep the present one' : 'none'},
			{value: 'make', title: 'make a new one'},
			{value: 'type', title: 'use the one typed below'},
		],
	}),
	field('secret', 'text', {
		description: 'Hidden as you type. Counts only if it is chosen above.',
		title: 'typed secret',
		masked: true,
	}),
];

const routeFields = (): readonly FieldRecord[] => [
	field('name', 'text', {
		description: 'Name of the route, and the end of its URL. Empty: make no route now.',
		own: trimmed,
	}),
	field('events', 'texts', {
		description: 'Event types to accept, with commas between them: pull_request, push. Empty: all.',
	}),
	field('prompt', 'lines', {
		description: 'Prompt of the agent; {pull_request.title} becomes that value of the event.',
	}),
];

/** The title of each step. */
export const setupSteps = [
	{title: literal('Where it listens'), fields: placeFields},
	{title: literal('Its secret'), fields: secretFields},
	{title: literal('A first route'), fields: routeFields},
] as const;

/** The fields of all steps. */
export const allFields = (now: SetupPlan['now']): readonly FieldRecord[] =>
	setupSteps.flatMap(({fields}) => fields(now));

export const lastStep = setupSteps.length - 1;

/** A new form with the settings in effect. */
export const newSetup = (now: SetupPlan['now']): SetupForm =>
	atStep({now, step: 0, form: newForm(allFields(now))}, 0);

/** The form showing the fields of a step. */
export const atStep = (filled: SetupForm, step: number): SetupForm => ({
	...filled,
	step,
	form: {...filled.form, fields: setupSteps[step]?.fields(filled.now) ?? [], index: 0, option: 0},
});

/** The values filled in. */
type Filled = Pick<SetupDraft, 'enable' | 'host' | 'port' | 'secret'> &
	Partial<NonNullable<SetupDraft['route']>> & {readonly way?: string};

const filledIn = ({now, form: {values}}: SetupForm): Filled =>
	contentOf({fields: allFields(now), values});

/** What prevents leaving a step, beyond errors of single fields. */
export function stepProblem(state: SetupForm): string | undefined {
	const {way, secret, name, events, prompt} = filledIn(state);
	if (way === 'type' && secret === undefined) {
		return 'no secret is typed';
	}

	return state.step === lastStep && name === undefined && (events ?? prompt) !== undefined
		? 'the route has no name; s goes on without it'
		: undefined;
}

/** The settings to change; unchanged ones are left out. */
export function setupDraft(state: SetupForm, withRoute: boolean): SetupDraft {
	const {now} = state;
	const {enable, host, port, way, secret, name, events, prompt} = filledIn(state);
	return {
		...(enable !== now.enabled && {enable: enable === true}),
		...(host !== undefined && host !== now.host && {host}),
		...(port !== undefined && port !== now.port && {port}),
		...(way === 'make' && {makeSecret: true}),
		...(way === 'type' && secret !== undefined && {secret}),
		...(withRoute &&
			name !== undefined && {
				route: {name, ...(events && {events}), ...(prompt !== undefined && {prompt})},
			}),
	};
}
