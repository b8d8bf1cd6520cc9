import {valueAt, type KeyPath} from './plain-data.ts';

const direct: KeyPath = ['platforms', 'webhook', 'routes'];
const extra: KeyPath = ['platforms', 'webhook', 'extra', 'routes'];

/** Where the static routes stand in `value` (all of `config.yaml`): "the `extra` value wins". @see manual/receiver.md#settings */
export const routesPlace = (value: unknown): KeyPath =>
	(valueAt(value, extra) ?? undefined) === undefined ? direct : extra;
