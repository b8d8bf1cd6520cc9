// The IMAP client has a logger and a way through SOCKS proxies of its own: we use neither.
export default function pino() {
	throw new Error('there is no pino in the bundle');
}

export const SocksClient = {
	async createConnection() {
		throw new Error('there is no SOCKS in the bundle');
	},
};
