// A DTLS 1.2 peer on pion for the interop tests. It echoes what comes, until the other side
// closes.
//
//	pion listen SUITE          prints the port
//	pion dial PORT SUITE
package main

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/crypto/selfsign"
)

var suites = map[string]dtls.CipherSuiteID{
	"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"TLS_ECDHE_ECDSA_WITH_AES_128_CCM":        dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM,
	"TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8":      dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8,
}

func main() {
	role, suite := os.Args[1], suites[os.Args[len(os.Args)-1]]
	certificate, err := selfsign.GenerateSelfSigned()
	check(err)
	fmt.Printf("fingerprint %X\n", sha256.Sum256(certificate.Certificate[0]))
	config := &dtls.Config{
		Certificates:         []tls.Certificate{certificate},
		CipherSuites:         []dtls.CipherSuiteID{suite},
		ClientAuth:           dtls.RequireAnyClientCert,
		ExtendedMasterSecret: dtls.RequireExtendedMasterSecret,
		InsecureSkipVerify:   true,
	}

	var connection net.Conn
	if role == "listen" {
		listener, err := dtls.Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, config)
		check(err)
		fmt.Printf("port %d\n", listener.Addr().(*net.UDPAddr).Port)
		connection, err = listener.Accept()
		check(err)
	} else {
		port, err := strconv.Atoi(os.Args[2])
		check(err)
		connection, err = dtls.Dial("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, config)
		check(err)
	}

	state := connection.(*dtls.Conn).ConnectionState()
	exported, err := state.ExportKeyingMaterial("EXPORTER-millrace-interop", nil, 32)
	check(err)
	fmt.Printf("connected %x\n", exported)

	buffer := make([]byte, 65536)
	for {
		length, err := connection.Read(buffer)
		if err != nil {
			fmt.Println("closed:", err)
			return
		}
		_, err = connection.Write(buffer[:length])
		check(err)
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}
