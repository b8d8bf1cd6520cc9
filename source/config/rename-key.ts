import {isMap, isScalar, parseDocument} from 'yaml';
import {SvcError} from '../core/errors.ts';
import type {KeyPath} from './plain-data.ts';
import {replaceText} from './replace-in-place.ts';
import {refuseSharedValue} from './yaml-anchors.ts';

/**
 * `text` (sound YAML) with another name for the key at `path`; every other byte stays. The caller has looked that its mapping has no such key yet.
 *
 * @throws SvcError `config_not_editable` for a key that stands in another place, or is no plain text
 */
export function renameKey(text: string, path: KeyPath, name: string): string {
	const document = parseDocument(text);
	const parent = path.slice(0, -1);
	refuseSharedValue(document, parent);
	const map: unknown = parent.length === 0 ? document.contents : document.getIn(parent, true);
	const key: unknown = isMap(map)
		? map.items.find(({key: one}) => isScalar(one) && String(one.value) === String(path.at(-1)))
				?.key
		: undefined;
	if (!isScalar(key) || !key.range || key.range[0] === key.range[1]) {
		throw new SvcError(
			'config_not_editable',
			`Cannot rename "${path.join('.')}": it is not written there, but shared from another place`,
		);
	}

	return replaceText(text, key, name);
}
