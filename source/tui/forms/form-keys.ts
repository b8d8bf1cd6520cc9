import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {moveField, turnField, type FormState} from './form.ts';

/** A key with the same meaning in every form. What it acts on, and what follows, is decided by the form's owner. */
export type FormKey = {
	readonly id: string;
	readonly keys: readonly [string, ...string[]];
	readonly label: Safe;
	/** How many fields to go down; infinite: to the end. */
	readonly step?: number;
	readonly act: (form: FormState) => FormState;
};

const moving = (
	id: string,
	keys: FormKey['keys'],
	{label, step}: {readonly label: Safe; readonly step: number},
): FormKey => ({id, keys, label, step, act: form => moveField(form, step)});

/** The key that saves or sends a form, and confirms the diff before writing. */
export const saveKeys = ['a'] as const;

/** Keys that move between fields. */
export const moveKeys: readonly FormKey[] = [
	moving('down', ['j', 'down', 'tab'], {label: literal('next field'), step: 1}),
	moving('up', ['k', 'up', 'shift+tab'], {label: literal('previous field'), step: -1}),
	moving('first', ['g', 'home'], {label: literal('first field'), step: -Infinity}),
	moving('last', ['G', 'end'], {label: literal('last field'), step: Infinity}),
];

/** Keys that move many fields at once, where they do not scroll pages. */
export const pageKeys: readonly FormKey[] = [
	moving('page-down', ['pgdn', 'ctrl+d'], {label: literal('ten fields down'), step: 10}),
	moving('page-up', ['pgup', 'ctrl+u'], {label: literal('ten fields up'), step: -10}),
];

/** Keys that cycle through the values of a choice. */
export const turnKeys: readonly [FormKey, FormKey] = [
	{
		id: 'next',
		keys: ['space', 'right'],
		label: literal('next value, or on and off'),
		act: form => turnField(form, 1),
	},
	{
		id: 'previous',
		keys: ['left'],
		label: literal('previous value'),
		act: form => turnField(form, -1),
	},
];
