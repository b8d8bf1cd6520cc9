import type {JsonValue} from '../../core/json.ts';
import type {SetupDraft, SetupPlan, WrittenSetup} from '../../core/setup.ts';
import {field, type FieldRecord} from '../../nouns/field.ts';
import {newForm, type FormState} from '../forms/form.ts';

/** What the receiver is to be, as a person fills it in. */
export type SetupCard = {
	readonly now: SetupPlan['now'];
	/** The step that is open. */
	readonly index: number;
	/** Where it listens, its secret, a first route. */
	readonly forms: readonly FormState[];
	readonly stage: SetupStage;
};

export type SetupStage =
	| {readonly kind: 'form'}
	/** What writing changes; `top`: rows that were scrolled away. */
	| {
			readonly kind: 'diff';
			readonly plan: SetupPlan;
			readonly draft: SetupDraft;
			readonly top: number;
	  }
	/** It is written: the one time that a secret that was made is there. */
	| {readonly kind: 'done'; readonly written: WrittenSetup};

const placeFields = ({host, port}: SetupPlan['now']): readonly FieldRecord[] => [
	field('enable', 'boolean', {
		description: 'Whether webhooks are received.',
		title: 'receive',
		initial: true,
	}),
	field('host', 'text', {
		description: 'Address to listen on; 0.0.0.0 takes events from other machines.',
		initial: host,
		required: true,
	}),
	field('port', 'integer', {
		description: 'Port to listen on; 0 takes any that is free.',
		initial: port,
		required: true,
		least: 0,
		most: 65_535,
	}),
];

const secretFields = ({hasSecret}: SetupPlan['now']): readonly FieldRecord[] => [
	field('way', 'choice', {
		description: 'Of routes that have none of their own. One that is made is shown once.',
		title: 'secret',
		required: true,
		initial: hasSecret ? 'keep' : 'make',
		options: [
			{value: 'keep', title: hasSecret ? 'keep what is there' : 'none'},
			{value: 'make', title: 'make one'},
			{value: 'type', title: 'the one typed below'},
		],
	}),
	field('secret', 'text', {
		description: 'Nobody sees what is typed. It counts when it is chosen above.',
		title: 'typed secret',
		masked: true,
	}),
];

const routeFields: readonly FieldRecord[] = [
	field('name', 'text', {
		description: 'The last part of its URL. Empty: no route is made now.',
	}),
	field('events', 'texts', {
		description: 'Those that it takes, with commas between them: pull_request, push. Empty: all.',
	}),
	field('prompt', 'lines', {
		description: 'What the agent is asked; {pull_request.title} is taken from the event.',
	}),
];

/** The card as it opens: what holds now. */
export const newSetup = (now: SetupPlan['now']): SetupCard => ({
	now,
	index: 0,
	forms: [placeFields(now), secretFields(now), routeFields].map(newForm),
	stage: {kind: 'form'},
});

/** What each step is about. */
export const stepTitles = ['Where it listens', 'Its secret', 'A first route'] as const;

/** The form of the open step. */
export const setupForm = ({forms, index, stage}: SetupCard): FormState | undefined =>
	stage.kind === 'form' ? forms[index] : undefined;

/** The card with another form in the open step. */
export const withSetupForm = (card: SetupCard, form: FormState): SetupCard => ({
	...card,
	forms: card.forms.map((other, index) => (index === card.index ? form : other)),
});

const textIn = (form: FormState | undefined, key: string): string => {
	const value = form?.values[key];
	return typeof value === 'string' ? value.trim() : '';
};

/** Why a step cannot be left, beyond what its fields say. */
export function stepProblem({forms, index}: SetupCard): string | undefined {
	const form = forms[index];
	if (index === 1 && textIn(form, 'way') === 'type' && secretIn(form) === '') {
		return 'no secret is typed';
	}

	const isBegun = textIn(form, 'prompt') !== '' || eventsIn(form).length > 0;
	return index === 2 && isBegun && textIn(form, 'name') === ''
		? 'the route has no name; s goes on without it'
		: undefined;
}

/** A secret is taken as it is typed. */
const secretIn = (form: FormState | undefined): string => {
	const value = form?.values['secret'];
	return typeof value === 'string' ? value : '';
};

const eventsIn = (form: FormState | undefined): readonly string[] => {
	const events = form?.values['events'];
	return Array.isArray(events)
		? events.filter((event: JsonValue) => typeof event === 'string')
		: [];
};

/** What is asked for; what is as it was is left out. */
export function setupDraft({now, forms}: SetupCard, {withRoute}: {withRoute: boolean}): SetupDraft {
	const [place, secret, route] = forms;
	const enable = place?.values['enable'] === true;
	const host = textIn(place, 'host');
	const port = Number(place?.values['port']);
	const way = textIn(secret, 'way');
	const name = textIn(route, 'name');
	const events = eventsIn(route);
	const prompt = route?.values['prompt'];
	return {
		...(enable !== now.enabled && {enable}),
		...(host !== now.host && {host}),
		...(port !== now.port && {port}),
		...(way === 'make' && {makeSecret: true}),
		...(way === 'type' && {secret: secretIn(secret)}),
		...(withRoute &&
			name !== '' && {
				route: {
					name,
					...(events.length > 0 && {events: [...events]}),
					...(typeof prompt === 'string' && prompt !== '' && {prompt}),
				},
			}),
	};
}
