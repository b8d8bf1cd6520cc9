/**
 * Who a connection counts for: an IPv4 address, or the first 64 bits of an IPv6 address, below which one sender has as many addresses as it likes.
 * `address` is one as sockets name it.
 */
export function peerOf(address = ''): string {
	const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
	if (!plain.includes(':')) {
		return plain;
	}

	const [head = '', tail] = plain.split('::');
	const before = groupsOf(head);
	const after = groupsOf(tail ?? '');
	const zeros = Array.from({length: 8 - before.length - after.length}, () => '0');
	return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
