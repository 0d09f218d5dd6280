/** Descriptions as browsers write them (Chromium 156, Firefox 153), and as SFU clients do. */

const lines = (...all: string[]): string => [...all, ''].join('\r\n');

const sha256 = '6B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08';

export const chromiumOffer: string = lines(
  'v=0',
  'o=- 8055462910374456251 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'a=extmap-allow-mixed',
  'a=msid-semantic: WMS',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=candidate:2999745851 1 udp 2113937151 7ddcee16-a6d7-4a1b-a2ee-0ab3c50cbb5b.local 51234 typ host generation 0 network-cost 999',
  'a=ice-ufrag:EsAw',
  'a=ice-pwd:bP+XJMM09aR8AiX1jdukzR6Y',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${sha256}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sctp-port:5000',
  'a=max-message-size:262144',
);

export const chromiumAnswer: string = chromiumOffer.replace('a=setup:actpass', 'a=setup:active');

/** Audio and video first, everything in one group, as a page with a camera offers. */
export const chromiumMediaOffer: string = lines(
  'v=0',
  'o=- 2584450093346841581 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1 2',
  'a=extmap-allow-mixed',
  'a=msid-semantic: WMS c3e1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126',
  'c=IN IP4 0.0.0.0',
  'a=rtcp:9 IN IP4 0.0.0.0',
  'a=ice-ufrag:aud1',
  'a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaaaa',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${sha256}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=msid:c3e1 9f1c',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:aud1',
  'a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaaaa',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${sha256}`,
  'a=setup:actpass',
  'a=mid:1',
  'a=recvonly',
  'a=rtcp-mux',
  'a=rtpmap:96 VP8/90000',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:dat1',
  'a=ice-pwd:dddddddddddddddddddddddd',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${sha256}`,
  'a=setup:actpass',
  'a=mid:2',
  'a=sctp-port:5000',
  'a=max-message-size:262144',
);

export const firefoxOffer: string = lines(
  'v=0',
  'o=mozilla...THIS_IS_SDPARTA-99.0 5143208137217374281 0 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  `a=fingerprint:sha-256 ${sha256}`,
  'a=group:BUNDLE 0',
  'a=ice-options:trickle',
  'a=msid-semantic:WMS *',
  'm=application 53021 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 10.9.0.1',
  'a=candidate:0 1 UDP 2122252543 10.9.0.1 53021 typ host',
  'a=candidate:1 1 TCP 2105524479 10.9.0.1 9 typ host tcptype active',
  'a=sendrecv',
  'a=end-of-candidates',
  'a=ice-pwd:f2a1f4c3e5b6d7a8091a2b3c4d5e6f70',
  'a=ice-ufrag:4b5c6d7e',
  'a=mid:0',
  'a=setup:actpass',
  'a=sctp-port:5000',
  'a=max-message-size:1073741823',
);

/** An ICE-lite SFU with its fingerprint at session level. */
export const liteOffer: string = lines(
  'v=0',
  'o=mediasoup-client 10000 1 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  'a=ice-lite',
  `a=fingerprint:sha-512 ${Array.from({ length: 64 }, (_, i) => (i + 16).toString(16)).join(':')}`,
  'a=msid-semantic: WMS *',
  'a=group:BUNDLE datachannel',
  'm=application 7 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 127.0.0.1',
  'a=mid:datachannel',
  'a=ice-ufrag:k3jv1tcbl1ptlnpb8l7x1fiu65ahxbsb',
  'a=ice-pwd:8oadfq2gm0szcxkfoxtlnrbpz5m51zqh',
  'a=candidate:udpcandidate 1 udp 1078862079 203.0.113.7 44444 typ host',
  'a=end-of-candidates',
  'a=ice-options:ice2',
  'a=setup:actpass',
  'a=sctp-port:5000',
  'a=max-message-size:0',
);

/** The form of the drafts before RFC 8841. */
export const legacyOffer: string = chromiumOffer
  .replace('UDP/DTLS/SCTP webrtc-datachannel', 'DTLS/SCTP 5001')
  .replace('a=sctp-port:5000', 'a=sctpmap:5001 webrtc-datachannel 1024')
  .replace('a=max-message-size:262144\r\n', '');
